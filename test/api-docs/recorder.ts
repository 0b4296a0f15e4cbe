/** A client of one server that records all requests, responses and messages. */
import { once } from 'node:events';
import { expect } from 'chai';
import type { Contract } from '../../src/contract/contract.js';
import { contract as clock } from '../../src/clock/contract.js';
import { simulatedContract as dice } from '../../src/dice/contract.js';
import { contract as control } from '../../simulators/control/contract.js';
import { builtInKinds } from '../../simulators/control/index.js';
import { at } from '../support/client.js';
import { rawBody, rawExchange } from '../../simulators/testing/internal/raw-connection.js';
import { HttpClient, type Call } from '../../simulators/testing/internal/http-client.js';
import { Listener, type ListenerOptions } from '../../simulators/testing/internal/listener.js';

/** In the order of the walks. */
export const contracts = [dice, clock, control(builtInKinds)] as const;

export interface Given {
  /** Parameters of the path and of the query. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One request and its answer. */
export interface Exchange {
  readonly operation: string;
  readonly given: Given;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** JSON, or the bytes of another media type. */
  readonly body: unknown;
}

/** One message of a WebSocket. */
export interface Message {
  readonly path: string;
  /** The query of the address. */
  readonly query: string;
  readonly sender: 'client' | 'server';
  readonly message: unknown;
}

const HTTP_OK = 200;

/** The field `name` of a value. */
export const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The text of the member `name` of a body. */
export const textIn = ({ body }: Pick<Exchange, 'body'>, name: string): string | undefined => {
  const value = property(body, name);
  return typeof value === 'string' ? value : undefined;
};

/** The error code of an answer. */
export const codeOf = (exchange: Pick<Exchange, 'status' | 'body'>): string | undefined =>
  exchange.status === HTTP_OK ? undefined : textIn(exchange, 'code');

const JSON_TYPE = 'application/json';

export class Recorder {
  /** `token` is sent with each request. */
  constructor(
    readonly contract: Contract,
    readonly port: number,
    private readonly token?: string,
    readonly exchanges: Exchange[] = [],
    readonly messages: Message[] = [],
  ) {}

  /** The same recorder with another token, or without a token. */
  with(token?: string): Recorder {
    return new Recorder(this.contract, this.port, token, this.exchanges, this.messages);
  }

  /** The headers of each request. */
  get headers(): Readonly<Record<string, string>> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }

  /** Calls an operation, with its body as JSON. */
  call(operation: string, given: Given = {}): Promise<Exchange> {
    const { body } = given;
    return this.send(operation, given, body === undefined ? {} : { body: JSON.stringify(body) });
  }

  /** Calls an operation, which must succeed. */
  async succeed(operation: string, given: Given = {}): Promise<Exchange> {
    const exchange = await this.call(operation, given);
    expect(exchange.status, `${operation}: ${JSON.stringify(exchange.body)}`).to.equal(HTTP_OK);
    return exchange;
  }

  /** Calls an operation, which must fail with `code`. */
  async fail(code: string, operation: string, given: Given = {}): Promise<void> {
    const exchange = await this.call(operation, given);
    expect(codeOf(exchange), `${operation}: ${JSON.stringify(exchange.body)}`).to.equal(code);
  }

  /** Calls an operation with any body. */
  async send(operation: string, given: Given, init: Pick<Call, 'headers' | 'body'>): Promise<Exchange> {
    const { method, url } = this.locate(operation, given);
    const client = new HttpClient(at(this.port), { headers: this.headers });
    const answer = await client.send({ method, path: url, ...init });
    const [mediaType = ''] = (answer.headers.get('content-type') ?? '').split(';');
    const body = mediaType === JSON_TYPE ? answer.json : answer.bytes;
    return this.keep({ operation, given, method, url, status: answer.status, mediaType, body });
  }

  /** Calls an operation with raw header lines, which `fetch` cannot send. */
  async sendHeaders(operation: string, given: Given, lines: string): Promise<Exchange> {
    const { method, url } = this.locate(operation, given);
    const received = await rawExchange(at(this.port), `${method} ${url} HTTP/1.1\r\n${lines}\r\n\r\n`);
    const status = Number(received.split(' ')[1]);
    return this.keep({
      ...{ operation, given, method, url, status },
      ...{ mediaType: JSON_TYPE, body: rawBody(received) },
    });
  }

  listen(path: string, query?: string): Promise<Listener> {
    return this.open(Listener, path, query);
  }

  async open<C extends Listener>(
    Client: new (url: string, options: ListenerOptions) => C,
    path: string,
    query = '',
  ): Promise<C> {
    const exchanged = (sender: Message['sender'], text: string): void => {
      if (sender === 'server')
        this.messages.push({ path, query, sender, message: JSON.parse(text) as unknown });
    };
    const client = new Client(at(this.port) + path + query, { headers: this.headers, exchanged });
    await once(client.socket, 'open');
    return client;
  }

  /** Records a message that a client has sent. */
  said(path: string, query: string, message: unknown): void {
    this.messages.push({ path, query, sender: 'client', message });
  }

  private keep(exchange: Exchange): Exchange {
    this.exchanges.push(exchange);
    return exchange;
  }

  private locate(
    operation: string,
    { parameters = {} }: Given,
  ): { readonly method: string; readonly url: string } {
    const endpoint = this.contract.endpoints[operation];
    if (endpoint === undefined) throw new Error(`there is no operation ${operation}`);
    const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(parameters[name] ?? ''),
    );
    const query = new URLSearchParams(
      Object.entries(parameters).filter(([name]) => name in endpoint.query),
    ).toString();
    return { method: endpoint.method, url: query === '' ? path : `${path}?${query}` };
  }
}
