import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { object, objectWith, text } from '../../src/codecs/index.js';
import { documentEndpoints, endpoint, healthEndpoints } from '../../src/contract/index.js';
import { missed, resuming, stamp } from '../../src/contract/socket.js';
import { logEndpoints, metricsEndpoints, radioEndpoints } from '../../src/contract/contract.js';

describe('the rows that all servers have', () => {
  const rows = {
    ...{ ...documentEndpoints, ...healthEndpoints({}) },
    ...{ ...logEndpoints, ...metricsEndpoints, ...radioEndpoints },
  };
  const expected: Readonly<Record<keyof typeof rows, string>> = {
    openapi: 'GET /openapi.json open',
    asyncapi: 'GET /asyncapi.json open',
    docs: 'GET /docs open',
    health: 'GET /health open',
    ready: 'GET /ready open',
    log: 'GET /log read',
    setLog: 'PUT /log full',
    metrics: 'GET /metrics read',
    radios: 'GET /radios read',
  };

  it('have their paths and their access', () => {
    const found = Object.entries(rows).map(([name, { method, path, access }]) => [
      name,
      `${method} ${path} ${access}`,
    ]);
    expect(Object.fromEntries(found)).to.deep.equal(expected);
  });

  it('have a summary and a subject, and are no commands that are measured', () => {
    for (const [name, { summary, subject, isMeasured }] of Object.entries(rows)) {
      expect(summary, name).to.match(/^[A-Z].{10,}/);
      expect(subject, name).to.equal(name in documentEndpoints ? 'Documents' : 'Operation');
      expect(isMeasured, name).to.equal(false);
    }
    expect([rows.health.counted, rows.ready.counted]).to.deep.equal([false, false]);
  });

  it('describe each of their fields', () => {
    for (const codec of [...Object.values(missed), ...Object.values(resuming), ...Object.values(stamp)])
      expect(codec.schema.output).to.have.property('description').that.is.not.empty;
    expect(logEndpoints.log.response.schema.output).to.have.nested.property('properties.verbose.description')
      .that.is.not.empty;
  });

  it('are for readers where they only read, unless they say otherwise', () => {
    const row = { path: '/x', summary: 'Something', response: text };
    expect(endpoint({ ...row, method: 'GET' }).access).to.equal('read');
    expect(endpoint({ ...row, method: 'POST' }).access).to.equal('full');
    expect(endpoint({ ...row, method: 'POST', access: 'read' }).access).to.equal('read');
  });

  it('take a level of the log from 0 to 3, and answer it', () => {
    const { read, write, body, response } = logEndpoints.setLog;
    expect(E.isRight(read({ params: {}, query: new URLSearchParams(), body: { verbose: 3 } }))).to.equal(
      true,
    );
    expect(E.isLeft(read({ params: {}, query: new URLSearchParams(), body: { verbose: 4 } }))).to.equal(true);
    expect(E.isLeft(read({ params: {}, query: new URLSearchParams(), body: {} }))).to.equal(true);
    expect(write({ verbose: 2 })).to.deep.equal({ verbose: 2 });
    expect(body).to.equal(response);
    expect(logEndpoints.log.response.schema.output).to.deep.include({
      title: 'Log',
      description: 'How much is logged',
    });
  });

  it('give figures as Prometheus reads them', () => {
    const { headers, response } = metricsEndpoints.metrics;
    expect(headers).to.deep.equal({ 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
    expect(response.schema.output).to.deep.include({ contentMediaType: 'text/plain' });
  });
});

describe('the position of a client that comes back', () => {
  const position = objectWith({}, resuming);

  it('is the number of an event that has one after it', () => {
    expect(position.decode({ since: String(Number.MAX_SAFE_INTEGER - 1), instance: 'a' })).to.deep.equal(
      E.right({ since: Number.MAX_SAFE_INTEGER - 1, instance: 'a' }),
    );
    expect(E.isLeft(position.decode({ since: String(Number.MAX_SAFE_INTEGER), instance: 'a' }))).to.equal(
      true,
    );
  });

  it('is answered with what is missing, whose end need not be known', () => {
    expect(E.isRight(object(missed).decode({ from: 1, to: null }))).to.equal(true);
    expect(E.isLeft(object(missed).decode({ to: 2 }))).to.equal(true);
    expect(E.isLeft(object(missed).decode({ from: 1 }))).to.equal(true);
  });
});
