import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { version } from '../../src/system/package.js';
import { requireProgram } from '../support/require.js';
import { Walk } from '../support/walk.js';
import {
  briefly,
  describeWalks,
  inTheClone,
  withBroker,
  withFreePorts,
  withOpenssl,
  withPython,
} from './walks.js';

describeWalks('The walks of the documents', [
  { page: 'docs/control-api.md', heading: '## Devices' },
  { page: 'docs/control-api.md', heading: '## Actions' },
  { page: 'docs/control-api.md', heading: '## Behaviour' },
  { page: 'docs/control-api.md', heading: '## The air' },
  { page: 'docs/control-api.md', heading: '## Faults' },
  { page: 'docs/control-api.md', heading: '## Chaos' },
  { page: 'docs/control-api.md', heading: '## Adapters' },
  { page: 'docs/control-api.md', heading: '## Violations' },
  { page: 'docs/control-api.md', heading: '## Trace' },
  { page: 'docs/control-api.md', heading: '## Reset' },
  { page: 'README.md', heading: '## A first walk with a die', prepare: inTheClone },
  { page: 'README.md', heading: '## A first walk with a clock', prepare: inTheClone },
  { page: 'README.md', heading: '## Breaking things', prepare: inTheClone },
  { page: 'README.md', heading: '## Home Assistant', prepare: withBroker },
  { page: 'README.md', heading: '## Installed elsewhere' },
  { page: 'docs/replay.md', heading: '# Replay' },
  { page: 'docs/lab/record.md', heading: '# Recording a device', prepare: briefly },
  { page: 'docs/production.md', heading: '## Access', prepare: withOpenssl },
  { page: 'docs/production.md', heading: '## Browsers' },
  { page: 'docs/production.md', heading: '## Behind a proxy' },
  { page: 'docs/production.md', heading: '## Configuration file' },
  { page: 'docs/production.md', heading: '## Logs' },
  { page: 'docs/clients.md', heading: '## Python', prepare: withPython },
  { page: 'docs/fleet.md', heading: '## A walk', prepare: withBroker },
  { page: 'docs/extending.md', heading: '### In this repository', prepare: withFreePorts },
]);

describe('npx in the clone', () => {
  it('finds the program that was built', async function () {
    requireProgram(this, 'npx');
    const { stdout } = await promisify(execFile)('npx', ['airbench', '--version']);
    expect(stdout.trim()).to.equal(version);
  }).timeout(30_000);
});

describe('A walk', () => {
  for (const [shown, language] of [
    ['{"a":2}', 'json'],
    ['{"a":1,"b":null}', 'json'],
    ['{"a":…}…}', ''],
  ] as const) {
    it(`fails where the page shows something else: ${shown}`, async function () {
      requireProgram(this, 'bash');
      const walk = new Walk({});
      const fence = '```';
      const page = `${fence}sh\necho '{"a":1}'\n${fence}\n\n${fence}${language}\n${shown}\n${fence}\n`;
      const outcome = await walk.through(page).then(
        () => 'passed',
        (error: unknown) => String(error),
      );
      await walk.end();
      expect(outcome).to.contain('AssertionError');
    });
  }
});
