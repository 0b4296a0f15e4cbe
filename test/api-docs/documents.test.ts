import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { fleetTopicsOf } from '../../src/api-docs/fleet-topics.js';
import { Examples } from '../../src/api-docs/index.js';
import { contracts } from './contracts.js';
import { documentFiles, examplesFile, textOf } from './files.js';

describe('the topics of a device', () => {
  for (const contract of contracts.filter(({ fleet }) => fleet !== undefined)) {
    it(`say which ${contract.name} they are for, so that payloads need not`, () => {
      const [toServer, toDevice] = fleetTopicsOf(contract).requested.map(({ commands }) =>
        JSON.stringify(commands.map(({ payload }) => payload.schema.input)),
      );
      expect(toServer).to.include('"required":["address"');
      expect(toDevice).not.to.match(/"(?:address|session_id)"/);
    });
  }
});

describe('the documents in docs/api', () => {
  for (const contract of contracts) {
    it(`of ${contract.name} are what its rows and examples give (npm run api-docs writes them)`, async () => {
      const examples = Examples.decode(JSON.parse(readFileSync(examplesFile(contract), 'utf8')));
      if (E.isLeft(examples)) expect.fail('the examples are none');
      for (const [path, document] of Object.entries(documentFiles(contract, examples.right))) {
        expect(readFileSync(path, 'utf8'), path).to.equal(await textOf(path, document));
      }
    });
  }
});
