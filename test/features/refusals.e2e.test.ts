/** The messages of benches that cannot be used, and status 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { newFolder } from '../support/folders.js';
import { endPrograms } from '../../simulators/testing/internal/program.js';
import { featuresCommand } from '../../features/command.js';
import { startFeatures } from '../report/thrown-away.js';
import { misuseOf } from '../support/flags.js';
import { requireLinux } from '../support/require.js';
import { rows } from '../support/rows.js';

describe('A bench that cannot be used is refused in one message:', () => {
  let folder: string;

  before(() => {
    folder = newFolder();
  });
  after(endPrograms);

  const benchFile = (content: string): string => {
    const path = join(folder, 'bench.json');
    writeFileSync(path, content);
    return path;
  };

  // No machine has so many adapters.
  const DICE = '"servers":{"dice":{"hci":"hci4711"}}';
  const hci = 'tcp:127.0.0.1:9';
  const described = rows(
    2,
    `
    {${DICE},"dice":[{}]}         | dice[0].address is missing
    {${DICE}}                     | servers.dice.hci is hci4711, but this machine has
    {"servers":{"dice":{"hci":"hci4712"}},"air":{"adapter":"hci4711","device":"dice"}} | air.adapter is hci4711, but this machine has
    {${DICE},"air":{"adapter":"hci4711","device":"dice"}} | must be two adapters
    {${DICE},"air":{"adapter":"hci4711","device":"dice"},"control":"http://127.0.0.1:9"} | omit one of them
    {${DICE},"control":"http://127.0.0.1:9"} | servers.dice must have a url
    {"servers":{"dice":{"url":"http://127.0.0.1:9"}}} | the dice server at http://127.0.0.1:9 does not answer
    {"servers":{"dice":{"hci":"${hci}","args":["--scan-secs","x"]}}} | did not start: error: option '--scan-secs <secs>' argument 'x' is invalid
    `,
  );
  for (const [bench, part] of described) {
    it(bench, async function () {
      if (part.includes('hci4711')) requireLinux(this, 'list of its adapters');
      const { status, stderr } = await startFeatures(['--bench', benchFile(bench), '--report', folder]).ended;
      expect(stderr.trim()).to.contain(part).and.not.contain('\n');
      expect(status).to.equal(2);
    });
  }

  const misused = rows(
    2,
    `
    --dice localhost:3000               | option '--dice <url>' argument 'localhost:3000' is invalid. it must be a URL such as http://localhost:3000
    --simulated --bench bench.json      | --simulated and --bench exclude each other
    --proxies --dice http://127.0.0.1:9 | --proxies and --dice exclude each other
    --control http://127.0.0.1:9        | --control needs --dice, --clock or both
    --bench missing.json                | missing.json is wrong: it cannot be read: there is no such file
    --dice http://127.0.0.1:9 --parallel 1 | the bench attach runs one scenario at a time: omit --parallel
    --retry often                       | it must be a whole number from 0 to 99
    --profile all                       | Allowed choices are airbench, seed.
    --tags @D-lde                       | no scenario has the tag @D-lde
    --tags @D-led features/clock        | no scenario of features/clock has the tag @D-led
    --tags (@D-led                      | --tags '(@D-led': Tag expression "(@D-led" could not be parsed
    --tags=                             | option '--tags <expression>' argument '' is invalid. it must not be empty
    --name (                            | option '--name <pattern>' argument '(' is invalid. it must be a regular expression
    --import missing.mjs                | option '--import <file>' argument 'missing.mjs' is invalid. there is no such file
    --name Nobody                       | no scenario has a name that matches Nobody
    features/dice/scann.feature         | features/dice/scann.feature has no scenario
    features/dice/scan.feature:2        | features/dice/scan.feature has no scenario at line 2: its scenarios are at
    --tags @pixels                      | no scenario fits all arguments: the tags are
    `,
  );
  for (const [args, part] of misused) {
    it(args, async () => {
      expect(await misuseOf(featuresCommand(), [...args.split(' '), '--report', folder])).to.contain(part);
    });
  }

  it('a folder of reports that cannot be made', async () => {
    const { status, stderr } = await startFeatures(['--report', 'package.json/x']).ended;
    expect(stderr).to.match(
      /^error: the report \S+ cannot be written \(.*\): a part of its path is not a folder\n?$/,
    );
    expect(status).to.equal(2);
  });
});
