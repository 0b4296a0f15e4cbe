import { expect } from 'chai';
import { pino } from 'pino';
import { describe, it } from 'mocha';
import { logRoutes } from '../../src/http/common-routes.js';
import { request } from '../support/client.js';
import { manualTime } from '../support/manual-time.js';
import { startServer } from '../support/server.js';

describe('PUT /log', () => {
  it('answers with how much is logged, and nothing else of what it was sent, however deep', async () => {
    const log = pino({ enabled: false });
    const server = await startServer({ routes: logRoutes(log), time: manualTime() });
    const { status, body } = await request(server.port, '/log', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: `{"verbose": 2, "more": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    });
    expect({ status, body }).to.deep.equal({ status: 200, body: { verbose: 2 } });
    await server.close();
  });
});
