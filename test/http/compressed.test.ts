import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pageRoutes, type HttpServer } from '../../src/http/index.js';
import { rows } from '../support/rows.js';
import { startServer } from '../support/server.js';
import { steppedTime } from '../support/stepped-time.js';

/** `Accept-Encoding`, and the encoding of the answer; `-` stands for no header. */
const CASES = rows(
  2,
  `
  gzip, deflate, br, zstd | gzip
  gzip                    | gzip
  *                       | gzip
  br, gzip;q=0.1          | gzip
  br                      | -
  gzip;q=0                | -
  identity                | -
  -                       | -
  `,
);

describe('A script of a page', () => {
  let server: HttpServer;
  let path: string;

  before(async () => {
    const routes = pageRoutes('src/page/dice');
    const script = routes.find((route) => /^\/assets\/dice-.*\.js$/.test(route.endpoint.path));
    path = script?.endpoint.path ?? '';
    server = await startServer({ time: steppedTime(), routes });
  });
  after(() => server.close());

  const answerFor = async (accepted: string) => {
    const headers = accepted === '-' ? {} : { 'Accept-Encoding': accepted };
    const request = get({ host: '127.0.0.1', port: server.port, path, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { response, body: await buffer(response) };
  };

  for (const [accepted, encoding] of CASES)
    it(`is sent in gzip to a client that accepts it: Accept-Encoding ${accepted}`, async () => {
      const { response, body } = await answerFor(accepted);
      expect(response.headers['content-encoding'] ?? '-').to.equal(encoding);
      expect(response.headers).to.include({ vary: 'Accept-Encoding', 'content-length': String(body.length) });
      expect(response.headers['content-type']).to.contain('text/javascript');
      const script = encoding === 'gzip' ? gunzipSync(body) : body;
      expect(script.toString()).to.contain('WebSocket');
      if (encoding === 'gzip') expect(body.length).to.be.below(script.length / 2);
    });
});
