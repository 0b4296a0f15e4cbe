import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { Documents } from '../../features/clients/documents.js';
import { asyncApi, NO_EXAMPLES, openApi } from '../../src/api-docs/index.js';
import {
  ANY_COMMAND,
  ANYWHERE,
  BY_ACCESS,
  WITH_BODY,
  type Contract,
  type FailureCode,
} from '../../src/contract/index.js';
import { named } from './examples.js';
import { codeOf, contracts, property } from './recorder.js';
import { walk, type Walked } from './walk.js';

/** All codes of a contract. */
const codesOf = ({ endpoints, sockets }: Contract): readonly string[] => {
  const commands = sockets.flatMap((socket) => Object.values(socket.commands));
  const readsBodies = Object.values(endpoints).some(({ bodyIs }) => bodyIs !== 'ignored');
  return [
    ...ANYWHERE,
    ...BY_ACCESS.full,
    ...(readsBodies ? WITH_BODY : []),
    'invalid_input',
    ...(commands.length > 0 ? ANY_COMMAND : []),
    ...[...Object.values(endpoints), ...sockets, ...commands].flatMap(({ fails }) => fails),
  ];
};

const codesIn = ({ exchanges, messages }: Walked): readonly unknown[] => [
  ...exchanges.map(codeOf),
  ...messages.map(({ message }) => property(message, 'code')),
];

const SERVERS = ['dice', 'clock'] as const;

/** The codes that the walk does not provoke, with their servers. */
const UNPROVOKED: Partial<Readonly<Record<FailureCode, readonly Contract['name'][]>>> = {
  // Only a defect provokes the code.
  internal_error: [...SERVERS, 'control'],
  // A server waits ten seconds for the headers of a request.
  request_timeout: [...SERVERS, 'control'],
  // The requests to the control API are not limited, and it has no adapter to wait for.
  too_many_requests: ['control'],
  not_ready: ['control'],
  // A server whose adapter cannot be opened does not start.
  adapter_unavailable: SERVERS,
  // It needs a broker: `test/mqtt/dice.test.ts`.
  owned_elsewhere: SERVERS,
  // The simulator of the walk answers: `test/dice/simulator.test.ts` has others.
  simulator_failed: ['dice'],
  // A virtual clock advertises its readings.
  no_reading: ['clock'],
};

describe('A walk through all operations', () => {
  let walks: readonly Walked[];
  before(async () => {
    walks = await walk();
  });

  for (const [index, contract] of contracts.entries()) {
    const { name } = contract;

    describe(`of ${name}`, () => {
      const documents = new Documents(openApi(contract, NO_EXAMPLES), asyncApi(contract, NO_EXAMPLES));
      let walked: Walked;
      before(() => {
        walked = walks[index] ?? expect.fail(`the walk did not call ${name}`);
      });

      it('calls every operation, with success', () => {
        const called = walked.exchanges.filter(({ status }) => status === 200);
        expect(called.map(({ operation }) => operation)).to.include.members(Object.keys(contract.endpoints));
      });

      it('receives documented answers', () => {
        const problems = walked.exchanges.map(({ method, url, status, mediaType, body }) => {
          const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
          return documents.answerProblem({ method, path: url, status, contentType: mediaType, text });
        });
        expect(problems.filter((problem) => problem !== undefined)).to.deep.equal([]);
      });

      it('sends and receives every documented message, and no other', () => {
        const { names, others } = named(walked, documents);
        expect(others, 'messages that are not documented').to.deep.equal([]);
        expect([...names.keys()]).to.have.members(documents.messages);
      });

      it('provokes every error code', () => {
        const exempt = Object.entries(UNPROVOKED).flatMap(([code, by]) => (by.includes(name) ? [code] : []));
        const received = new Set(codesIn(walked));
        const missing = new Set(codesOf(contract).filter((code) => !received.has(code)));
        expect([...missing]).to.have.members(exempt);
      });
    });
  }
});
