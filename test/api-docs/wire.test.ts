import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { after, before, describe, it } from 'mocha';
import { openStage, type Stage } from './stage.js';
import { WIRE, wireOf } from './wire.js';

/** Bytes. */
const MAX_DOCUMENT = 150_000;
const MAX_LINES = 1_500;

describe('The wire', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const served = async (path: string): Promise<readonly string[]> => {
    const { dice, clock, control } = stage;
    const ports = [dice.recorder, clock.recorder, control].map(({ port }) => port);
    return Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()));
  };

  it(`is that of ${WIRE}`, async () => {
    const [openapi, asyncapi] = await Promise.all([served('/openapi.json'), served('/asyncapi.json')]);
    const now = ['dice', 'clock', 'control'].flatMap((name, index) =>
      wireOf(
        name,
        JSON.parse(openapi[index] ?? '') as JsonRecord,
        JSON.parse(asyncapi[index] ?? '') as JsonRecord,
      ),
    );
    const before = readFileSync(WIRE, 'utf8').trimEnd().split('\n');
    const changed = [
      ...before.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
      ...now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ];
    if (changed.length > 0)
      expect.fail(
        `the wire has changed, which needs an entry in CHANGELOG.md; npm run api-docs writes ${WIRE}:\n${changed.join('\n')}`,
      );
    expect(before).to.deep.equal(now);
    expect(before.length).to.be.at.most(MAX_LINES);
  });

  it('is described by documents of at most 150 kB', async () => {
    for (const path of ['/openapi.json', '/asyncapi.json'])
      for (const text of await served(path))
        expect(Buffer.byteLength(text), path).to.be.at.most(MAX_DOCUMENT);
  });
});
