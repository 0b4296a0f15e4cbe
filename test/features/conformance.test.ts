import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { checkMessage, expectConformance, httpClient } from '../../features/clients/clients.js';
import type { HttpClient } from '../../simulators/testing/internal/http-client.js';
import { asyncApi, NO_EXAMPLES, openApi } from '../../src/api-docs/index.js';
import { contract } from '../../src/dice/contract.js';

const documents = {
  '/openapi.json': openApi(contract, NO_EXAMPLES),
  '/asyncapi.json': asyncApi(contract, NO_EXAMPLES),
};

const HEALTH = {
  ...{ status: 'ok', adapter: 'poweredOn', problem: null, sessions: 0, listeners: 0 },
  ...{
    seq: 0,
    instance: 'x',
    mqtt: 'off',
    home_assistant: false,
    store: { state: 'off', problem: null, waiting_secs: 0 },
    simulator: false,
    pages: null,
  },
};

describe('Messages of servers in the features', () => {
  let server: Server;
  afterEach(() => server.close());

  /** Starts a server that answers these paths, and any other path with 404. */
  const serving = async (answers: Readonly<Record<string, unknown>>): Promise<HttpClient> => {
    server = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'there is nothing here', code: 'unknown_route' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return httpClient(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
  };

  /** The errors of all messages; undefined without errors. */
  const problem = (): Promise<string | undefined> =>
    expectConformance().then(
      () => undefined,
      (error: unknown) => String(error),
    );

  it('pass if they conform to their documents', async () => {
    const client = await serving({ ...documents, '/health': HEALTH });
    await client.get('/health');
    await client.get('/nowhere');
    checkMessage(`${client.url}/ws?detail=full`, '{"kind":"Tap"}');
    expect(await problem()).to.equal(undefined);
  });

  it('fail with a list of all deviations from their documents', async () => {
    const client = await serving({ ...documents, '/health': { ...HEALTH, sessions: '0' }, '/api/led': {} });
    await client.get('/health');
    await client.get('/ready');
    await client.get('/api/led');
    checkMessage(`${client.url}/ws`, '{"kind":"Nap"}');
    checkMessage(`${client.url}/ws`, '{"kind":"BatteryLevel","level":101}');
    const problems = await problem();
    expect(problems).to.contain(
      'GET /health\nsessions must be integer, got "0" (openapi.json)\nanswered 200 {',
    );
    expect(problems).to.contain('GET /ready\nstatus: expected one of 200, ');
    expect(problems).to.contain('GET /api/led\nexpected an error, since the operation is unknown');
    expect(problems).to.contain('WebSocket /ws\nexpected a message of asyncapi.json\nsent {"kind":"Nap"}');
    expect(problems).to.contain('BatteryLevel: level must be <= 100, got 101 (asyncapi.json)');
  });

  it('pass from a server without documents', async () => {
    const client = await serving({ '/health': {} });
    await client.get('/health');
    expect(await problem()).to.equal(undefined);
  });
});
