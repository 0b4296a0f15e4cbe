import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { WebSocket } from 'ws';

export const portOf = (url: string): number => Number(new URL(url).port);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A body without the id of its request, which each error has: the one in the header, if that is known. */
export const withoutId = (body: unknown, header?: string | null): unknown => {
  if (typeof body !== 'object' || body === null || !('code' in body)) return body;
  const { request_id, ...others } = { request_id: undefined, ...body };
  expect(request_id).to.be.a('string');
  if (header !== undefined) expect(request_id).to.equal(header);
  return others;
};

/** One request over loopback; the body of the answer as JSON, undefined if there is none. */
export const request = async (port: number, path: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : withoutId(JSON.parse(text), response.headers.get('x-request-id')),
  };
};

export const post = (port: number, path: string, body: unknown, init: RequestInit = {}): Promise<Answer> =>
  request(port, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });

/** Writes `bytes` to a fresh connection and resolves with everything that came back until it was closed. */
export const raw = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  socket.write(bytes);
  await once(socket, 'close');
  return received;
};

/** A connection whose bytes a test writes itself, one character each. */
export class RawClient {
  received = '';
  readonly closed: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (part: string) => (this.received += part));
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close');
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  write(...bytes: readonly string[]): void {
    this.socket.write(bytes.join(''), 'latin1');
  }

  /** Resolves once `text` has come, rejects if the connection is closed before. */
  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      const more = await Promise.race([once(this.socket, 'data'), this.closed.then(() => undefined)]);
      if (more === undefined && !this.received.includes(text)) {
        throw new Error(`closed without ${text} after ${this.received}`);
      }
    }
  }

  /** The statuses of what has come, in order. */
  get statuses(): readonly number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }
}

/** The body of a raw answer, as JSON. */
export const rawBody = (received: string): unknown =>
  JSON.parse(received.slice(received.indexOf('\r\n\r\n') + 4));

/** A WebSocket client that keeps what it receives until it is read. */
export class Listener {
  /** The messages that were not read yet, as they came. */
  readonly texts: string[] = [];
  private readonly waiting: ((message: unknown) => void)[] = [];
  /** The close code. */
  readonly closed: Promise<number>;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.received(data.toString()));
    this.closed = new Promise((resolve) => {
      socket.on('close', resolve);
    });
  }

  protected received(text: string): void {
    const next = this.waiting.shift();
    if (next === undefined) this.texts.push(text);
    else next(JSON.parse(text));
  }

  /** The messages that were not read yet. */
  get unread(): readonly unknown[] {
    return this.texts.map((text): unknown => JSON.parse(text));
  }

  next(): Promise<unknown> {
    const text = this.texts.shift();
    return text === undefined
      ? new Promise((resolve) => this.waiting.push(resolve))
      : Promise.resolve(JSON.parse(text));
  }

  async take(count: number): Promise<readonly unknown[]> {
    const messages: unknown[] = [];
    while (messages.length < count) messages.push(await this.next());
    return messages;
  }

  /** Resolves when everything that the server sent before has come. */
  async settled(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }
}

/** The headers of an upgrade beside its path. */
export interface Upgrade {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const webSocketTo = (port: number, path: string, { protocols = [], headers = {} }: Upgrade): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });

/** Opens a client of this class. */
export const openClient = async <C extends Listener>(
  Client: new (socket: WebSocket) => C,
  port: number,
  path: string,
  upgrade: Upgrade = {},
): Promise<C> => {
  const socket = webSocketTo(port, path, upgrade);
  const client = new Client(socket);
  await once(socket, 'open');
  return client;
};

export const listenTo = (port: number, path: string, upgrade?: Upgrade): Promise<Listener> =>
  openClient(Listener, port, path, upgrade);

/** The answer to an upgrade that must be refused. */
export const refusedUpgrade = (port: number, path: string, upgrade: Upgrade = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const socket = webSocketTo(port, path, upgrade);
    socket.on('open', () => reject(new Error('the upgrade was accepted')));
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(
            Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
          ),
          body: withoutId(JSON.parse(text), String(response.headers['x-request-id'])),
        }),
      );
    });
    socket.on('error', () => undefined);
  });
