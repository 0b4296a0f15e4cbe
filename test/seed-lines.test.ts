import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { loadSources } from '@cucumber/cucumber/api';
import { describe, it } from 'mocha';
import { mutationsOf } from './mutated-servers/mutations.js';

/**
 * The name of each contract; the tags about flags of the program, which the mutating proxy cannot break; and `unclaimed`: tags of
 * other lines that the profile `seed` cannot decide, since the interface document shows too little.
 */
const seeds = [
  {
    name: 'dice',
    prefix: '@D-',
    flags: ['@D-listens'],
    // Not shown: whether clients log in.
    unclaimed: ['@D-no-login'],
  },
  {
    name: 'clock',
    prefix: '@C-',
    flags: ['@C-flag-address', '@C-flag-port', '@C-flag-verbose'],
    unclaimed: [
      // Not shown: the types of an alarm's fields, the fields of settings, the outcome of deleting an empty slot.
      ...['@C-alarm', '@C-set-alarm', '@C-delete-alarm', '@C-write-settings'],
      // A client cannot restart the server.
      '@C-token-store',
      // Not shown: whether clients log in.
      '@C-no-login',
      // No actor changes a battery; not shown: when a subscribed clock advertises.
      ...['@C-battery-level', '@C-advertisement'],
      // No request of the REST interface has a body.
      '@C-400',
    ],
  },
] as const;

/** The tags of scenarios that need a simulation, for the reasons in the table of needs. */
const simulationOnly = ['@fault', '@simulated', '@model'];

/** The number of scenarios in these files that fit a tag expression, by the tags of features and examples too. */
const countScenarios = async (paths: string[], tagExpression: string): Promise<number> => {
  const sources = { defaultDialect: 'en', paths, tagExpression, order: 'defined' } as const;
  const { plan } = await loadSources({ ...sources, names: [] });
  return plan.length;
};

for (const { name, prefix, flags, unclaimed } of seeds) {
  describe(`The lines of the ${name} contract`, () => {
    const folder = `features/${name}`;
    const lines = readFileSync(`${folder}/seed-lines.json`, 'utf8');
    const tags = Object.keys(JSON.parse(lines) as object);
    const features = readdirSync(folder)
      .filter((file) => file.endsWith('.feature'))
      .map((file) => ({ path: `${folder}/${file}`, text: readFileSync(`${folder}/${file}`, 'utf8') }));
    const linesOf = (fits: (line: string) => boolean): readonly string[] =>
      features
        .flatMap(({ text }) => text.split('\n').filter(fits))
        .flatMap((line) => line.match(new RegExp(`${prefix}[\\w-]+`, 'g')) ?? []);
    const used = linesOf(() => true);

    it('are each listed once', () => {
      // JSON.parse drops the first of two entries with one tag.
      expect(lines.match(/^ *"@/gm)).to.have.lengthOf(tags.length);
    });

    it('have a scenario each', () => {
      expect(tags.filter((tag) => !used.includes(tag))).to.be.empty;
    });

    it('have a scenario each that also runs on the adapter of a kernel', () => {
      const onKernel = linesOf((line) => line.includes('@kernel'));
      // Features do not show the effect of flags; ci/kernel/scenarios/servers.ts does when it starts the servers.
      expect(tags.filter((tag) => !onKernel.includes(tag))).to.deep.equal(flags);
    });

    /** The tags without a scenario that fits a tag expression. */
    const tagsWithout = async (expression: string): Promise<readonly string[]> => {
      const missing: string[] = [];
      for (const tag of tags) {
        const paths = features.filter(({ text }) => text.includes(tag)).map(({ path }) => path);
        if ((await countScenarios(paths, `${tag} and ${expression}`)) === 0) missing.push(tag);
      }
      return missing;
    };

    it('have a scenario each that real devices can show', async () => {
      expect(await tagsWithout(`not (${simulationOnly.join(' or ')})`)).to.be.empty;
    });

    it('have a @seed scenario each, except lines that the interface document leaves open', async () => {
      const texts = JSON.parse(lines) as Readonly<Record<string, string>>;
      const open = tags.filter((tag) => texts[tag]?.endsWith('(decided by the contract).'));
      expect(await tagsWithout('@seed')).to.have.members([...flags, ...unclaimed, ...open]);
    });

    it('have @seed scenarios that need no simulation', async () => {
      const paths = features.map(({ path }) => path);
      expect(await countScenarios(paths, `@seed and (${simulationOnly.join(' or ')})`)).to.equal(0);
    });

    it('are each broken by the mutating proxy', () => {
      const broken = mutationsOf(name).map(({ tag }) => tag);
      expect(tags.filter((tag) => !broken.includes(tag))).to.deep.equal(flags);
    });
  });
}
