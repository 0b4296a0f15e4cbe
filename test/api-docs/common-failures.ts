/** The common failures of all operations. */
import { expect } from 'chai';
import { failures, type AnyEndpoint, type FailureCode } from '../../src/contract/index.js';
import { text } from '../../src/codecs/index.js';
import { at, rawUpgrade, refusalOf } from '../support/client.js';
import { RawConnection } from '../../simulators/testing/internal/raw-connection.js';
import { codeOf, Recorder, type Exchange, type Given } from './recorder.js';
import { DIE, TOKENS } from './stage.js';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Node.js accepts 16 KiB of headers; `MAX_BODY` is 64 KiB. */
const MORE_THAN_FITS = 70_000;

const anyGiven = ({ params, body }: AnyEndpoint): Given => ({
  parameters: Object.fromEntries(
    Object.keys(params).map((name) => [name, name === 'address' ? DIE : 'none']),
  ),
  ...(body === undefined ? {} : { body: {} }),
});

const expectCode = (exchange: Exchange, code: FailureCode): void => {
  expect([exchange.status, codeOf(exchange)], exchange.operation).to.deep.equal([
    failures[code].status,
    code,
  ]);
};

/** Header lines of requests that servers refuse for every client. */
const FROM_ELSEWHERE = {
  host_refused: 'Host: evil.example\r\nConnection: close',
  origin_refused: 'Host: localhost\r\nOrigin: https://evil.example\r\nConnection: close',
} as const;

const failWithoutToken = async (
  recorder: Recorder,
  operation: string,
  { access }: AnyEndpoint,
  given: Given,
): Promise<void> => {
  for (const [code, lines] of Object.entries(FROM_ELSEWHERE)) {
    expect(codeOf(await recorder.sendHeaders(operation, given, lines)), operation).to.equal(code);
  }
  if (access !== 'open') expectCode(await recorder.with().call(operation, given), 'unauthorized');
  if (access === 'full') expectCode(await recorder.with(TOKENS.read).call(operation, given), 'forbidden');
  else await expectAllowed(recorder, operation, access === 'read' ? TOKENS.read : undefined);
};

/** An allowed request may fail since its parameters are nonsense. The recorder of the examples does not record it. */
const expectAllowed = async (
  { contract, port }: Recorder,
  operation: string,
  token: string | undefined,
): Promise<void> => {
  const { params = {}, query = {} } = contract.endpoints[operation] ?? {};
  const parameters = Object.fromEntries(Object.keys({ ...params, ...query }).map((name) => [name, 'none']));
  const { status } = await new Recorder(contract, port, token).call(operation, { parameters });
  expect(status, operation).to.be.oneOf(token === undefined ? [200] : [200, 400, 404]);
};

const failWithBody = async (recorder: Recorder, operation: string, given: Given): Promise<void> => {
  const send = (init: Parameters<Recorder['send']>[2]): Promise<Exchange> =>
    recorder.send(operation, given, init);
  const large = ' '.repeat(MORE_THAN_FITS);
  expectCode(await send({ body: Buffer.from([0xff]), headers: JSON_HEADERS }), 'invalid_json');
  expectCode(await send({ body: large, headers: JSON_HEADERS }), 'body_too_large');
  expectCode(await send({ body: '{}', headers: { 'content-type': 'text/plain' } }), 'unsupported_media_type');
  expectCode(await recorder.call(operation, { ...given, body: [] }), 'invalid_input');
};

/** Makes each operation and each upgrade fail with the common codes. */
export const failAnywhere = async (recorder: Recorder): Promise<void> => {
  for (const { path } of recorder.contract.sockets)
    expect(codeOf(await refusalOf(recorder.port, path)), path).to.equal('unauthorized');
  for (const [operation, endpoint] of Object.entries(recorder.contract.endpoints)) {
    const input = anyGiven(endpoint);
    expectCode(await recorder.sendHeaders(operation, input, 'not a header'), 'malformed_request');
    const headers = `x: ${'x'.repeat(MORE_THAN_FITS)}`;
    expectCode(await recorder.sendHeaders(operation, input, headers), 'headers_too_large');
    await failWithoutToken(recorder, operation, endpoint, input);
    if (endpoint.body !== undefined) await failWithBody(recorder, operation, input);
    for (const [name, codec] of Object.entries({ ...endpoint.params, ...endpoint.query })) {
      if (codec.name === text.name) continue;
      const parameters = { ...input.parameters, [name]: 'nonsense' };
      expectCode(await recorder.call(operation, { ...input, parameters }), 'invalid_input');
    }
  }
};

/**
 * Calls each operation while the server closes, which waits for a WebSocket that does not answer the close. Resolves
 * when the server is closed.
 */
export const failWhileClosing = async (recorder: Recorder, close: () => Promise<void>): Promise<void> => {
  const [socket] = recorder.contract.sockets;
  const silent = await RawConnection.open(at(recorder.port));
  const headers = Object.entries(recorder.headers).map(([name, value]) => `${name}: ${value}`);
  silent.write(rawUpgrade(socket?.path ?? '', ...headers));
  await silent.until('\r\n\r\n');
  const closed = close();
  for (const [operation, endpoint] of Object.entries(recorder.contract.endpoints)) {
    expectCode(await recorder.call(operation, anyGiven(endpoint)), 'shutting_down');
  }
  silent.socket.destroy();
  await closed;
};
