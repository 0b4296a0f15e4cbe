/** Access to all operations that the servers' own documents name. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Answer, at, listenTo, refusalOf, request } from '../support/client.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import type { Recorder } from './recorder.js';
import { CLOCK, openStage, TOKENS, type Stage } from './stage.js';

type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface Parameter {
  readonly name: string;
  readonly in: string;
}

type Named<A> = Readonly<Record<string, A>>;

interface OpenApi {
  readonly paths: Named<Named<{ readonly security: Security; readonly parameters: readonly Parameter[] }>>;
}

interface AsyncApi {
  readonly channels: Named<{ readonly address: string; readonly bindings: { readonly ws?: unknown } }>;
  readonly operations: Named<{
    readonly action: string;
    readonly 'x-scope': string;
    readonly channel: { readonly $ref: string };
  }>;
}

interface Operation {
  readonly method: string;
  readonly url: string;
  readonly scope: string;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Addresses of existing devices; the query is nonsense, so that nothing takes long. */
const urlOf = (path: string, parameters: readonly Parameter[]): string => {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => [name, 'none']);
  const plain = path.replaceAll('{address}', CLOCK).replaceAll(/\{\w+\}/g, 'none');
  return query.length === 0 ? plain : `${plain}?${new URLSearchParams(query).toString()}`;
};

const operationsIn = ({ paths }: OpenApi): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, parameters }]) => ({
      method: method.toUpperCase(),
      url: urlOf(path, parameters),
      scope: security.flatMap(({ token = [] }) => token)[0] ?? 'open',
    })),
  );

const expectUnauthorized = ({ status, headers, body }: Answer, error: string, what: string): void => {
  expect([status, body], what).to.deep.equal([401, { error, code: 'unauthorized' }]);
  expect(headers.get('www-authenticate'), what).to.equal('Bearer realm="airbench"');
  expect(headers.get('content-type'), what).to.match(/^application\/json/);
};

const MISSING = 'a token is needed: send it as "Authorization: Bearer TOKEN"';
const READ_ONLY = 'the token of "reader" may only read';
const UNKNOWN = 'the token is not known';

const RECORDERS: Readonly<Record<string, (stage: Stage) => Recorder>> = {
  'the dice server': ({ dice }) => dice.recorder,
  'the clock server': ({ clock }) => clock.recorder,
  'the control API': ({ control }) => control,
};

describe('With tokens', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const [name, recorderOf] of Object.entries(RECORDERS)) {
    describe(name, () => {
      let recorder: Recorder;
      let operations: readonly Operation[];
      let sockets: AsyncApi;
      const send = ({ method, url }: Operation, headers: Readonly<Record<string, string>> = {}) =>
        request(recorder.port, url, { method, headers });
      const of = (...scopes: readonly string[]): readonly Operation[] =>
        operations.filter(({ scope }) => scopes.includes(scope));

      before(async () => {
        recorder = recorderOf(stage);
        operations = operationsIn((await request(recorder.port, '/openapi.json')).body as OpenApi);
        sockets = (await request(recorder.port, '/asyncapi.json')).body as AsyncApi;
        expect(of('open', 'read', 'full')).to.deep.equal(operations);
      });

      it('refuses every operation without a token, always with the same words', async () => {
        expect(of('read')).to.have.lengthOf.at.least(2);
        for (const operation of of('read', 'full')) {
          const { method, url } = operation;
          expectUnauthorized(await send(operation), MISSING, `${method} ${url}`);
          expectUnauthorized(await send(operation, bearer('nobody-s-token-at-all')), UNKNOWN, url);
        }
        expectUnauthorized(await request(recorder.port, '/nothing/here'), MISSING, 'an unknown path');
      });

      it('answers open operations without a token', async () => {
        const text = async ({ url }: Operation): Promise<number> =>
          (await fetch(`http://127.0.0.1:${recorder.port}${url}`)).status;
        for (const operation of of('open')) expect(await text(operation), operation.url).to.equal(200);
        expect(of('open').map(({ url }) => url)).to.have.members([
          ...['/health', '/ready', '/openapi.json', '/asyncapi.json', '/docs'],
        ]);
      });

      it('lets a token of scope read only read', async () => {
        for (const operation of of('full')) {
          const { status, body } = await send(operation, bearer(TOKENS.read));
          expect([status, body], operation.url).to.deep.equal([403, { error: READ_ONLY, code: 'forbidden' }]);
        }
        for (const { method, url } of of('read')) {
          const { status } = await fetch(`http://127.0.0.1:${recorder.port}${url}`, {
            method,
            headers: bearer(TOKENS.read),
          });
          expect(status, url).to.be.oneOf([200, 400, 404]);
        }
      });

      it('refuses to open any WebSocket without a token', async () => {
        const addresses = Object.values(sockets.channels)
          .filter(({ bindings }) => bindings.ws !== undefined)
          .map(({ address }) => address);
        expect(addresses).to.have.lengthOf.at.least(1);
        for (const address of addresses) {
          expectUnauthorized(await refusalOf(recorder.port, address), MISSING, address);
          expectUnauthorized(await request(recorder.port, address), MISSING, address);
          const { socket } = await listenTo(recorder.port, address, { headers: bearer(TOKENS.read) });
          socket.terminate();
        }
      });

      it('refuses a token of scope read the commands that do more', async () => {
        for (const [type, operation] of Object.entries(sockets.operations)) {
          if (operation.action !== 'receive') continue;
          const channel = sockets.channels[operation.channel.$ref.split('/').at(-1) ?? ''];
          if (channel?.bindings.ws === undefined) continue;
          const { address } = channel;
          const client = await ClockClient.open(at(recorder.port) + address, {
            headers: bearer(TOKENS.read),
          });
          const { error } = await client.send({ type });
          if (operation['x-scope'] === 'full') expect(error, type).to.equal(READ_ONLY);
          else expect(error, type).to.match(/^command\..* is missing/);
        }
      });
    });
  }
});
