import { expect } from 'chai';
import { describe, it } from 'mocha';
import { documentsOf } from '../../src/api-docs/index.js';
import { contract as dice } from '../../src/dice/contract.js';
import { asyncApiProblems } from './asyncapi-problems.js';

describe('The check of AsyncAPI documents', () => {
  const good = JSON.stringify(documentsOf(dice, 'optional').asyncapi());
  const BROKEN: readonly (readonly [what: string, part: string | RegExp, other: string, problem: string])[] =
    [
      ['an unknown version', '"asyncapi":"3.0.0"', '"asyncapi":"3.9.0"', '/asyncapi'],
      ['an unknown action', '"action":"send"', '"action":"shout"', '/action'],
      ['a schema of an unknown type', '"type":"boolean"', '"type":"strange"', '/type'],
      [
        'a link to nothing',
        /"#\/components\/schemas\/\w+"/,
        '"#/components/schemas/Nothing"',
        'no-unresolved-refs',
      ],
      [
        'a channel that is no channel',
        '"channel":{"$ref":"#/channels/ws"}',
        '"channel":{"$ref":"#/components/ws"}',
        'not below',
      ],
      [
        'a message of another channel',
        '"$ref":"#/channels/ws/messages/',
        '"$ref":"#/channels/mqtt_result/messages/',
        'is no message of',
      ],
      [
        'a parameter that is not described',
        '"prefix":{"description"',
        '"prefixes":{"description"',
        'no parameter prefix',
      ],
      ['a parameter that the address lacks', '"{prefix}/', '"/', 'has no prefix'],
      ['a channel with a query', '"channels":{"ws":', '"channels":{"ws?x":', 'neither a query'],
    ];
  for (const [what, part, other, problem] of BROKEN) {
    it(`names ${what}`, async () => {
      const broken = good.replace(part, other);
      expect(broken).to.not.equal(good);
      expect((await asyncApiProblems(JSON.parse(broken))).join('\n')).to.contain(problem);
    });
  }
});
