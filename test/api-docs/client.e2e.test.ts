import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { eachFixture, RED, type DiceFixture } from '../support/dice-fixture.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requirePackages } from '../support/require.js';
import { GENERATORS } from '../support/walk-programs.js';

const SCAN_SECS = 0.5;

type Visit = (baseUrl: string, scanSecs: number) => Promise<unknown>;

const COMPILER = 'node_modules/typescript/bin/tsc';
const FLAGS = ['--target', 'es2023', '--module', 'nodenext', '--strict', '--skipLibCheck'];

/** Runs a script in Node.js, which must succeed. */
const succeed = async (...args: readonly string[]): Promise<void> => {
  const { status, stdout, stderr } = await Program.node(args).ended;
  expect(status, stdout + stderr).to.equal(0);
};

describe('A client from /openapi.json by openapi-typescript and openapi-fetch', () => {
  let folder: string;
  let world: DiceFixture;
  before(function () {
    const packages = requirePackages(this, GENERATORS);
    folder = newFolder();
    symlinkSync(resolve(packages), join(folder, 'node_modules'), 'junction');
  });
  eachFixture((fixture) => (world = fixture));

  it('compiles, and scans, connects, sets LEDs, reads and disconnects', async () => {
    const { body } = await world.get('/openapi.json');
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(body));
    const generator = join(folder, 'node_modules/openapi-typescript/bin/cli.js');
    await succeed(generator, join(folder, 'openapi.json'), '--output', join(folder, 'dice-api.ts'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    copyFileSync('docs/examples/dice-client/client.ts', join(folder, 'client.ts'));
    await succeed(COMPILER, ...FLAGS, join(folder, 'client.ts'));

    const { visit } = (await import(pathToFileURL(join(folder, 'client.js')).href)) as { visit: Visit };
    const die = world.radio.add(RED);
    const result = visit(`http://127.0.0.1:${world.server.port}`, SCAN_SECS);
    await world.radio.heeded;
    world.radio.advertise(die);
    await world.time.pass(SCAN_SECS * 1000);
    expect(await result).to.deep.equal({
      led1: 'FF8000',
      connected: true,
      disconnected: true,
      code: 'session_not_found',
    });
  });
});
