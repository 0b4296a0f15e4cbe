import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Kind } from '../../src/contract/kinds.js';
import { BrokenServer, type Line } from './broken-server.js';
import { mutationsOf } from './mutations.js';

/** The lines whose mutations `npm run e2e` runs, within seconds; `npm run slow` runs those of all other lines. */
const SAMPLE: Readonly<Record<Kind, readonly string[]>> = {
  dice: ['@D-led', '@D-led-format', '@D-battery', '@D-event-stable'],
  clock: ['@C-ack', '@C-set-alarm', '@C-rest-battery'],
};

/** Breaks a correct server in one place at a time, and expects the scenarios of that line of the contract to fail. */
export const itNoticesMutations = (server: Kind, part: 'sample' | 'others'): void => {
  const broken = mutationsOf(server)
    .filter(({ excluded }) => excluded === undefined)
    .filter(({ tag }) => SAMPLE[server].includes(tag) === (part === 'sample'));
  const lines = new Map<string, Line>(
    broken.map(({ tag, scenario }) => [`${tag} ${scenario ?? ''}`, { tag, scenario }]),
  );
  describe(`The ${server} features cannot pass a broken server`, () => {
    let mutated: BrokenServer;

    before(async () => {
      mutated = await BrokenServer.start(server, `mutated-${server}-${part}`);
    });

    after(() => mutated.close());

    for (const [name, line] of lines) {
      it(`${name} passes a correct server through the same proxy`, async () => {
        await mutated.patienceFor(line);
      });
    }

    for (const mutation of broken) {
      it(`${mutation.tag} fails if ${mutation.defect}`, async () => {
        expect(await mutated.isNoticed(mutation)).to.be.true;
      });
    }
  });
};
