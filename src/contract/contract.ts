/** The API of one server, as a value that documents are made of. */
import { bytes, json } from '../codecs/index.js';
import { endpoint, type AnyEndpoint } from './endpoint.js';
import type { FleetContract } from './fleet.js';
import type { Kind } from './kinds.js';
import type { Socket } from './socket.js';

export interface Contract {
  /** Of its files of examples and documents. */
  readonly name: Kind | 'control' | 'bench';
  readonly title: string;
  /** A paragraph. */
  readonly summary: string;
  /** By name, which is the id of the operation. */
  readonly endpoints: Readonly<Record<string, AnyEndpoint>>;
  readonly sockets: readonly Socket<unknown>[];
  /** Of a server that can be on an MQTT broker. */
  readonly fleet?: FleetContract;
}

/** A page, and what it is made of, may do nothing but show the documents and ask the server that serves it. */
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
    method: 'GET',
    path: '/openapi.json',
    subject: 'Documents',
    access: 'open',
    summary: 'This document: the HTTP API, as OpenAPI 3.1',
    response: document,
  }),
  asyncapi: endpoint({
    method: 'GET',
    path: '/asyncapi.json',
    subject: 'Documents',
    access: 'open',
    summary: 'The messages on WebSockets and over MQTT, as AsyncAPI 3.0',
    response: document,
  }),
  docs: endpoint({
    method: 'GET',
    path: '/docs',
    subject: 'Documents',
    access: 'open',
    summary: 'Both documents as a page for people',
    response: bytes('text/html'),
    headers: PAGE_HEADERS,
  }),
};
