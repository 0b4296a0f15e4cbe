import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { documentsOf } from '../../src/api-docs/index.js';
import { contracts } from './recorder.js';
import { WIRE, wireLines } from './wire.js';

/** Bytes. */
const MAX_DOCUMENT = 220_000;
const MAX_LINES = 2_400;

describe('The wire', () => {
  it(`is as in ${WIRE}`, () => {
    const current = wireLines();
    const recorded = readFileSync(WIRE, 'utf8').trimEnd().split('\n');
    const changed = [
      ...recorded.filter((line) => !current.includes(line)).map((line) => `- ${line}`),
      ...current.filter((line) => !recorded.includes(line)).map((line) => `+ ${line}`),
    ];
    if (changed.length > 0)
      expect.fail(
        `the wire has changed, which needs an entry in CHANGELOG.md; npm run api-docs writes ${WIRE}:\n${changed.join('\n')}`,
      );
    expect(recorded).to.deep.equal(current);
    expect(recorded.length).to.be.at.most(MAX_LINES);
  });

  it('is described by documents of at most 220 kB', () => {
    for (const contract of contracts) {
      const { openapi, asyncapi } = documentsOf(contract, 'required');
      for (const document of [openapi(), asyncapi()])
        expect(Buffer.byteLength(JSON.stringify(document)), contract.name).to.be.at.most(MAX_DOCUMENT);
    }
  });
});
