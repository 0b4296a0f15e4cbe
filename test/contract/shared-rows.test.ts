import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { object, objectWith, text } from '../../src/codecs/index.js';
import { documentEndpoints, endpoint, healthEndpoints, mediaType } from '../../src/contract/index.js';
import { missed, resuming, stamp } from '../../src/contract/socket.js';
import {
  aboutEndpoints,
  logEndpoints,
  metricsEndpoints,
  Pages,
  radioEndpoints,
  StoreHealth,
} from '../../src/contract/contract.js';

/** The fields of the objects in a schema, at any depth, with their descriptions. */
const fieldsOf = (schema: unknown): readonly (readonly [name: string, description: string])[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...keywords } = schema as {
    properties?: Record<string, { description?: string }>;
  };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      [name, field.description ?? ''] as const,
      ...fieldsOf(field),
    ]),
    ...Object.values(keywords).flatMap(fieldsOf),
  ];
};

describe('the rows of all servers', () => {
  const rows = {
    ...{ ...documentEndpoints, ...healthEndpoints({}) },
    ...{ ...logEndpoints, ...metricsEndpoints, ...aboutEndpoints, ...radioEndpoints },
  };
  const expected: Readonly<Record<keyof typeof rows, string>> = {
    openapi: 'GET /openapi.json open application/json',
    asyncapi: 'GET /asyncapi.json open application/json',
    docs: 'GET /docs open text/html',
    health: 'GET /health open application/json',
    ready: 'GET /ready open application/json not_ready',
    log: 'GET /log read application/json',
    setLog: 'PUT /log full application/json',
    metrics: 'GET /metrics read text/plain',
    about: 'GET /api/about read application/json',
    radios: 'GET /radios read application/json',
  };

  it('have their paths, access, media types and errors', () => {
    const described = Object.entries(rows).map(([name, row]) => [
      name,
      [row.method, row.path, row.access, mediaType(row), ...row.fails].join(' '),
    ]);
    expect(Object.fromEntries(described)).to.deep.equal(expected);
  });

  it('have a summary and a subject, and are not measured', () => {
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
    const pages = ['dice', 'clock', 'simulator'];
    const radios = radioEndpoints.radios.response;
    for (const [codec, fields, undescribed] of [
      [radios, 'name up problem slots free limit devices address rssi linked'.split(' '), ['devices']],
      [aboutEndpoints.about.response, 'name version commit started node radios'.split(' '), []],
      [StoreHealth, ['state', 'problem', 'waiting_secs'], []],
      [Pages, pages.flatMap((page) => [page, 'url', 'address', 'port']), pages],
    ] as const) {
      const described = fieldsOf(codec.schema.output);
      expect(described.map(([name]) => name)).to.deep.equal(fields);
      expect(described.filter(([, text]) => text === '').map(([name]) => name)).to.deep.equal(undescribed);
    }
    for (const codec of [Pages.schema.output, radios.schema.output['items']]) {
      expect(codec).to.have.property('title').that.is.not.empty;
      expect(codec).to.have.property('description').that.is.not.empty;
    }
    expect(radios.name).to.equal('an array of radios');
  });

  it('need read access for GET and full access otherwise, unless a row has its own access', () => {
    const row = { path: '/x', summary: 'Something', response: text };
    expect(endpoint({ ...row, method: 'GET' }).access).to.equal('read');
    expect(endpoint({ ...row, method: 'POST' }).access).to.equal('full');
    expect(endpoint({ ...row, method: 'POST', access: 'read' }).access).to.equal('read');
  });

  it('set a level of the log from 0 to 3, and return it', () => {
    const { read, write, body, response } = logEndpoints.setLog;
    const accepts = (sent: object) =>
      E.isRight(read({ params: {}, query: new URLSearchParams(), body: sent }));
    expect([{ verbose: 3 }, { verbose: 4 }, {}].map(accepts)).to.deep.equal([true, false, false]);
    expect(write({ verbose: 2 })).to.deep.equal({ verbose: 2 });
    expect(body).to.equal(response);
    expect(logEndpoints.log.response.schema.output).to.deep.include({
      title: 'Log',
      description: 'How much is logged',
    });
  });

  it('have a store that is opening, ok, off or failed, with its problem', () => {
    const states = ['opening', 'ok', 'off', 'failed', ''].filter((state) =>
      StoreHealth.is({ state, problem: null, waiting_secs: 0 }),
    );
    expect(states).to.deep.equal(['opening', 'ok', 'off', 'failed']);
    expect(StoreHealth.schema.output).to.deep.include({
      ...{ title: 'Store', description: 'The memory of the server that outlasts it' },
    });
  });

  it('return metrics in the format of Prometheus', () => {
    const { headers, response } = metricsEndpoints.metrics;
    expect(headers).to.deep.equal({ 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
    expect(response.schema.output).to.deep.include({ contentMediaType: 'text/plain' });
  });

  it('return the health with a status and details', () => {
    const { health, ready } = healthEndpoints({ adapter: text });
    const status = { description: '`degraded` while the service cannot do its work', type: 'string' };
    expect([health.response.schema.output, ready.response.schema.output]).to.deep.equal([
      {
        ...{ title: 'Health', description: 'The state of the service', type: 'object' },
        properties: { status: { ...status, enum: ['ok', 'degraded'] }, adapter: { type: 'string' } },
        required: ['status', 'adapter'],
      },
      {
        ...{ title: 'Ready', description: 'The service can do its work', type: 'object' },
        properties: { status: { type: 'string', enum: ['ready'] } },
        required: ['status'],
      },
    ]);
    expect([health.bodyIs, ready.bodyIs]).to.deep.equal(['ignored', 'ignored']);
  });

  it('let the page of documents load files from its own server alone', () => {
    expect(documentEndpoints.openapi.response.schema.output).to.deep.equal({ type: 'object' });
    expect(documentEndpoints.docs.headers).to.deep.equal({
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
      'X-Content-Type-Options': 'nosniff',
    });
  });
});

describe('the position of a client that comes back', () => {
  const position = objectWith({}, resuming);

  it('has a number that leaves a number for the next event', () => {
    const since = Number.MAX_SAFE_INTEGER - 1;
    expect(position.decode({ since: String(since), instance: 'a' })).to.deep.equal(
      E.right({ since, instance: 'a' }),
    );
    expect(position.decode({ since: String(since + 1), instance: 'a' })).to.satisfy(E.isLeft);
  });

  it('is answered with the missing events, the last of which may be unknown', () => {
    const accepts = (value: object) => E.isRight(object(missed).decode(value));
    expect([{ from: 1, to: null }, { to: 2 }, { from: 1 }].map(accepts)).to.deep.equal([true, false, false]);
  });
});
