/** Answers that are sent piece by piece. */
import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { json } from '../../src/codecs/index.js';
import { endpoint, streamed, TextStream } from '../../src/contract/index.js';
import type { HttpServer } from '../../src/http/index.js';
import { signalled } from '../support/bluetooth-fixture.js';
import { abandon, at } from '../support/client.js';
import { routeOf } from '../support/routes.js';
import { startServer } from '../support/server.js';
import { steppedTime } from '../support/stepped-time.js';

describe('An answer in pieces', () => {
  const headers = { Accept: 'text/csv', 'X-Request-Id': 'export-1' };
  let server: HttpServer;
  let logged: Readonly<Record<string, unknown>>[];
  let pieces: () => AsyncGenerator<string>;

  beforeEach(async () => {
    logged = [];
    const log = pino(
      {},
      { write: (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[0]) },
    );
    const row = endpoint({
      ...{ method: 'GET', path: '/rolls', summary: '' },
      response: streamed(json(), ['text/csv']),
    });
    const routes = routeOf(row, (_input, { accepted }) =>
      TE.right(accepted === undefined ? [] : new TextStream(accepted, pieces())),
    );
    server = await startServer({ routes, log, time: steppedTime() });
  });

  afterEach(() => server.close());

  const errors = () => logged.filter(({ level }) => level === pino.levels.values['error']);

  for (const [accept, type] of [
    ['text/csv', 'text/csv'],
    ['text/csv; charset=UTF-8', 'text/csv'],
    ['application/json;q=0.5, text/csv;charset="utf-8"', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['image/png', 'application/json'],
    ['*/*', 'application/json'],
  ] as const) {
    it(`is ${type} for a client that accepts ${accept}`, async () => {
      pieces = async function* () {
        yield await Promise.resolve('first\r\n');
      };
      const { headers: answered } = await fetch(`${at(server.port)}/rolls`, { headers: { accept } });
      expect(answered.get('content-type')).to.equal(`${type}; charset=utf-8`);
    });
  }

  it('breaks off when a later piece fails, which is logged with the request', async () => {
    pieces = async function* () {
      yield await Promise.resolve('first\r\n');
      throw new Error('the disk is full');
    };
    const answer = await fetch(`${at(server.port)}/rolls`, { headers });
    expect(answer.status).to.equal(200);
    expect(await answer.text().catch(() => 'broken off')).to.equal('broken off');
    expect(errors()).to.have.length(1);
    expect(errors()[0]).to.include({ request_id: 'export-1', operation: 'it' });
    expect(errors()[0]).to.have.nested.property('err.message', 'the disk is full');
  });

  it('ends without an error in the log when its client leaves', async () => {
    const begun = signalled();
    const ended = signalled();
    pieces = async function* () {
      try {
        begun.fulfil();
        for (;;) yield await Promise.resolve('piece\r\n'.repeat(1_000));
      } finally {
        ended.fulfil();
      }
    };
    const leave = abandon(server.port, '/rolls', { headers });
    await begun.promise;
    await leave();
    await ended.promise;
    expect(errors()).to.deep.equal([]);
  });
});
