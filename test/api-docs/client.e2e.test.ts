import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import ts from 'typescript';
import { eachFixture, RED, type DiceFixture } from '../support/dice-fixture.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requirePackages } from '../support/require.js';
import { GENERATORS } from '../support/walk-programs.js';
import { property } from './recorder.js';

const SOURCE = 'docs/examples/dice-client/client.ts';

const SCAN_SECS = 0.5;

type Visit = (baseUrl: string, scanSecs: number) => Promise<unknown>;

const isVisit = (value: unknown): value is Visit => typeof value === 'function';

/** The messages of the compiler about a file, whose JavaScript it puts beside it. */
const compile = (path: string): readonly string[] => {
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    types: [],
    skipLibCheck: true,
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
};

describe('a client made of /openapi.json by openapi-typescript and openapi-fetch', () => {
  let folder: string;
  let world: DiceFixture;
  before(function () {
    const packages = requirePackages(this, GENERATORS);
    folder = newFolder();
    symlinkSync(resolve(packages), join(folder, 'node_modules'), 'junction');
  });
  eachFixture((started) => (world = started));

  it('compiles, and scans, connects, sets LEDs, reads and disconnects', async () => {
    const { body } = await world.get('/openapi.json');
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(body));
    const { status, stderr } = await Program.node([
      join(folder, 'node_modules/openapi-typescript/bin/cli.js'),
      ...[join(folder, 'openapi.json'), '--output', join(folder, 'dice-api.ts')],
    ]).ended;
    expect(status, stderr).to.equal(0);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const copy = join(folder, 'client.ts');
    copyFileSync(SOURCE, copy);
    expect(compile(copy)).to.deep.equal([]);

    const client: unknown = await import(pathToFileURL(join(folder, 'client.js')).href);
    const visit = property(client, 'visit');
    if (!isVisit(visit)) expect.fail('the client has no visit');
    const die = world.radio.add(RED);
    const visited = visit(`http://127.0.0.1:${world.server.port}`, SCAN_SECS);
    await world.radio.heeded;
    world.radio.advertise(die);
    await world.time.pass(SCAN_SECS * 1000);
    expect(await visited).to.deep.equal({
      led1: 'FF8000',
      connected: true,
      disconnected: true,
      code: 'session_not_found',
    });
  });
});
