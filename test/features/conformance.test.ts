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
  ...{ status: 'ok', adapter: 'poweredOn', sessions: 0, listeners: 0 },
  ...{ seq: 0, instance: 'x', mqtt: 'off', pages: null },
};

describe('Messages of servers in the features', () => {
  let server: Server;
  afterEach(() => server.close());

  /** A server that answers with these values, and else with 404. */
  const serving = async (answers: Readonly<Record<string, unknown>>): Promise<HttpClient> => {
    server = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'there is nothing here', code: 'unknown_route' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    return httpClient(`http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`);
  };

  /** The errors of all messages; undefined without errors. */
  const problem = (): Promise<string | undefined> =>
    expectConformance().then(
      () => undefined,
      (error: unknown) => String(error),
    );

  it('pass as their documents say', async () => {
    const client = await serving({ ...documents, '/health': HEALTH });
    await client.get('/health');
    await client.get('/nowhere');
    checkMessage(`${client.url}/ws?detail=full`, '{"kind":"Tap"}');
    expect(await problem()).to.equal(undefined);
  });

  it('fail with every deviation from the documents', async () => {
    const client = await serving({ ...documents, '/health': { ...HEALTH, sessions: '0' }, '/api/led': {} });
    await client.get('/health');
    await client.get('/ready');
    await client.get('/api/led');
    checkMessage(`${client.url}/ws`, '{"kind":"Nap"}');
    const wrong = await problem();
    expect(wrong).to.contain('data/sessions must be integer');
    expect(wrong).to.contain('GET /ready answered 404');
    expect(wrong).to.contain('GET /api/led answered 200 {}: the operation is unknown');
    expect(wrong).to.contain('the WebSocket /ws sent an unknown message: {"kind":"Nap"}');
  });

  it('pass from a server without documents', async () => {
    const client = await serving({ '/health': {} });
    await client.get('/health');
    expect(await problem()).to.equal(undefined);
  });
});
