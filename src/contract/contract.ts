/** The API of one server, as a value that documents are made of, and the endpoints that every server has. */
import type * as t from 'io-ts';
import {
  about,
  anyInteger,
  array,
  boolean,
  bytes,
  deviceAddress,
  integer,
  json,
  named,
  nullable,
  number,
  object,
  oneOf,
  text,
  type Fields,
} from '../codecs/index.js';
import { endpoint, type AnyEndpoint } from './endpoint.js';
import type { FleetContract } from './fleet.js';
import { perKind, type Kind } from './kinds.js';
import type { Socket } from './socket.js';

export interface Contract {
  /** The name of its files of examples and documents. */
  readonly name: Kind | 'control' | 'bench';
  readonly title: string;
  /** A paragraph. */
  readonly summary: string;
  /** The rows by the id of the operation. */
  readonly endpoints: Readonly<Record<string, AnyEndpoint>>;
  readonly sockets: readonly Socket<unknown>[];
  /** The part of a server that can be on an MQTT broker. */
  readonly fleet?: FleetContract;
}

const upkeep = { method: 'GET', subject: 'Operation', isMeasured: false } as const;
const look = { method: 'GET', subject: 'Operation', access: 'open', counted: false } as const;
const documentation = { method: 'GET', subject: 'Documents', access: 'open' } as const;

/** The states of a server's connection to an MQTT broker; `off`: the server has no broker. */
export const MQTT_STATES = ['off', 'connecting', 'connected'] as const;

/** Whether a server serves, and whether it can do its work. `details`: further fields of `/health`. */
export const healthEndpoints = <D extends Fields>(details: D) => ({
  health: endpoint({
    ...look,
    path: '/health',
    summary: 'Answers as long as the process serves',
    response: named(
      'Health',
      'The state of the service',
      object({
        status: about('`degraded` while the service cannot do its work', oneOf(['ok', 'degraded'])),
        ...details,
      }),
    ),
  }),
  ready: endpoint({
    ...look,
    path: '/ready',
    summary: 'Answers 503 while the service cannot do its work',
    response: named('Ready', 'The service can do its work', object({ status: oneOf(['ready']) })),
    fails: ['not_ready'],
  }),
});

const PageAddress = object({
  url: about(
    'The URL for browsers, if it differs from address and port, such as behind a proxy; else null',
    nullable(text),
  ),
  address: about('The address that the server listens on', text),
  port: about('The port that it listens on', anyInteger),
});
export type PageAddress = t.TypeOf<typeof PageAddress>;

/** The pages of a rig, whose devices are all simulated. */
export const Pages = named(
  'Pages',
  'The addresses of the pages of a rig, whose devices are simulated',
  object({ ...perKind(() => PageAddress), simulator: PageAddress }),
);
export type Pages = t.TypeOf<typeof Pages>;

/** The store of a server; `off`: it is to keep no history. */
export const StoreHealth = named(
  'Store',
  'The memory of the server that outlasts it',
  object({
    state: about(
      '`opening`: it cannot be read yet; `off`: the server keeps no history; `failed`: it is to, and cannot',
      oneOf(['opening', 'ok', 'off', 'failed']),
    ),
    problem: about('Why it cannot be used, for people; else null', nullable(text)),
    waiting_secs: about(
      'How long the oldest row has been waiting for the disk, seconds; 0 if no row waits',
      number(0, Number.MAX_SAFE_INTEGER),
    ),
  }),
);

const Log = named(
  'Log',
  'How much is logged',
  object({ verbose: about('0 warnings, 1 events, 2 details, 3 everything', integer(0, 3)) }),
);

export const logEndpoints = {
  log: endpoint({
    ...upkeep,
    path: '/log',
    summary: 'Returns how much is logged',
    response: Log,
  }),
  setLog: endpoint({
    ...upkeep,
    method: 'PUT',
    path: '/log',
    summary: 'Sets how much the server logs from now on',
    body: Log,
    response: Log,
  }),
};

export const metricsEndpoints = {
  metrics: endpoint({
    ...upkeep,
    path: '/metrics',
    summary: 'Counters and gauges of the server, for Prometheus',
    response: bytes('text/plain'),
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
  }),
};

const RadioPart = named(
  'Radio',
  'An adapter or a Bluetooth proxy of a server',
  object({
    name: about(
      'The name: hci0, user:hci0 or tcp:192.0.2.7:6402 as in --hci; bluez:hci0; kitchen.local:6053, or kitchen (192.0.2.7:6053) of a proxy that mDNS found',
      text,
    ),
    up: about('Whether it can be used now', boolean),
    problem: about(
      'Why it cannot be used, may hear nothing or may hear devices of another program twice, for people; null if nothing is wrong',
      nullable(text),
    ),
    slots: about(
      'Its room for links; null: it does not report that',
      nullable(
        object({
          free: about('Free links', anyInteger),
          limit: about('All links; of a proxy that clients share, without those of others', anyInteger),
        }),
      ),
    ),
    devices: array(
      object({
        address: deviceAddress,
        rssi: about(
          'Signal of its last advertisement there, dBm; null: the radio has not heard it lately',
          nullable(anyInteger),
        ),
        linked: about('Whether it is connected through this radio', boolean),
      }),
      'an array of the devices of the server that the radio hears or connects',
    ),
  }),
);

export type RadioReport = t.TypeOf<typeof RadioPart>;

/** The name of a radio for people: `hci0 by BlueZ` of `bluez:hci0`, `hci0` of `user:hci0`. */
export const radioTitle = (name: string): string =>
  name.replace(/^bluez:(.*)$/, '$1 by BlueZ').replace(/^user:/, '');

export const radioEndpoints = {
  radios: endpoint({
    ...upkeep,
    path: '/radios',
    summary: 'Lists the adapters and the proxies, and how each hears the devices of the server',
    response: array(RadioPart, 'an array of radios'),
  }),
};

export const About = named(
  'About',
  'The software that serves',
  object({
    name: about('The server', text),
    version: about('The version of airbench', text),
    commit: about(
      'The commit that it was built from, with `-dirty` if there were changes; null: not known',
      nullable(text),
    ),
    started: about('The start of the server, ISO 8601, UTC', text),
    node: about('The version of Node.js', text),
    radios: about('The names of its radios, as in `GET /radios`', array(text, 'names')),
  }),
);

export const aboutEndpoints = {
  about: endpoint({
    ...upkeep,
    path: '/api/about',
    summary: 'Identifies the software of the server',
    response: About,
  }),
};

/** Headers with which a page and its files can only show the documents and call the server that serves them. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
};

const document = json({ type: 'object' });

/** The documents of a contract, which every server serves. */
export const documentEndpoints = {
  openapi: endpoint({
    ...documentation,
    path: '/openapi.json',
    summary: 'This document: the HTTP API, as OpenAPI 3.1',
    response: document,
  }),
  asyncapi: endpoint({
    ...documentation,
    path: '/asyncapi.json',
    summary: 'The messages on WebSockets and over MQTT, as AsyncAPI 3.0',
    response: document,
  }),
  docs: endpoint({
    ...documentation,
    path: '/docs',
    summary: 'Both documents as a page for people',
    response: bytes('text/html'),
    headers: PAGE_HEADERS,
  }),
};
