import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { contract as clock } from '../../src/clock/contract.js';
import { contract as dice } from '../../src/dice/contract.js';
import { documentsOf } from '../../src/api-docs/index.js';
import { benchContract, contract as control } from '../../simulators/control/contract.js';
import { builtInKinds } from '../../simulators/control/kinds.js';
import { asyncApiProblems } from './asyncapi-problems.js';

const CONTRACTS = {
  'the dice server': dice,
  'the clock server': clock,
  'the control API': control(builtInKinds),
  'the control API of a bench': benchContract(builtInKinds),
};

/** A fault whose stage is left out is one of the usual stage and of no other: Redocly does not see that. */
const USUAL_STAGE = {
  ruleId: 'no-illogical-composition-keywords',
  places: /\/(?:FaultSpec|FaultSpecInput|Plan)\/.*\/oneOf$/,
};

/** An object may have more fields than its schema names, as the model of a device has. */
const OPEN_OBJECTS = { severity: 'error', allowAdditionalProperties: true } as const;

describe('Documents', () => {
  for (const [name, contract] of Object.entries(CONTRACTS)) {
    const { openapi, asyncapi } = documentsOf(contract, 'optional');

    it(`are good OpenAPI, of ${name}`, async () => {
      const problems = await lintFromString({
        source: JSON.stringify(openapi()),
        absoluteRef: `${contract.name}.openapi.json`,
        config: await createConfig({
          extends: ['recommended'],
          rules: {
            'no-invalid-media-type-examples': OPEN_OBJECTS,
            'no-invalid-parameter-examples': OPEN_OBJECTS,
            'no-invalid-schema-examples': OPEN_OBJECTS,
          },
        }),
      });
      const found = problems.map(({ ruleId, message, location: [place] }) => ({
        ruleId,
        message,
        place: place?.pointer ?? '',
      }));
      expect(
        found.filter(
          ({ ruleId, place }) => !(ruleId === USUAL_STAGE.ruleId && USUAL_STAGE.places.test(place)),
        ),
      ).to.deep.equal([]);
    });

    it(`are good AsyncAPI, of ${name}`, async () => {
      expect(await asyncApiProblems(asyncapi())).to.deep.equal([]);
    });
  }
});
