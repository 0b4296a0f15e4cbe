import { once } from 'node:events';
import type { ClientRequestArgs } from 'node:http';
import { systemReason } from '../../../src/system/system-error.js';
import { WebSocket, type ClientOptions } from 'ws';
import { Arrivals } from './arrivals.js';
import { answerOf, type Answer } from './http-client.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Options for the messages, and options of the library `ws`, such as `headers`. */
export interface ListenerOptions extends ClientOptions, Pick<ClientRequestArgs, 'lookup'> {
  readonly protocols?: readonly string[];
  /** The limit of each wait, milliseconds; none if left out. */
  readonly limit?: number;
  /** Receives each message of either side, for a transcript or a check. */
  readonly exchanged?: (sender: 'client' | 'server', text: string) => void;
}

const connect = (url: string, { protocols = [], limit: _, exchanged: __, ...options }: ListenerOptions) =>
  new WebSocket(url, [...protocols], options);

/** A WebSocket client that keeps the messages it receives until they are taken. */
export class Listener {
  readonly socket: WebSocket;
  /** The texts of the messages that no caller has taken yet. */
  readonly texts: string[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  protected readonly arrivals = new Arrivals();

  /** `url`: the address of the WebSocket, `http:` or `ws:`. */
  constructor(
    readonly url: string,
    protected readonly options: ListenerOptions = {},
  ) {
    this.socket = connect(url, options);
    this.socket.on('message', (data: Buffer) => {
      const text = data.toString();
      options.exchanged?.('server', text);
      this.received(text);
      this.arrivals.notify();
    });
    // The event `close` follows.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code: number) => {
        this.arrivals.end(`the WebSocket ${url} was closed (${code})`);
        resolve(code);
      });
    });
  }

  /** Opens a client of this class. */
  static async open<C extends Listener>(
    this: new (url: string, options?: ListenerOptions) => C,
    url: string,
    options: ListenerOptions = {},
  ): Promise<C> {
    const { limit } = options;
    const late = limit === undefined ? undefined : AbortSignal.timeout(limit);
    const client = new this(url, options);
    try {
      await once(client.socket, 'open', late === undefined ? {} : { signal: late });
    } catch (error) {
      client.close();
      const reason =
        late?.aborted === true ? `no answer within ${Number(limit) / 1000} s` : systemReason(error);
      throw new Error(`the WebSocket ${url} cannot be opened: ${reason}`, { cause: error });
    }
    return client;
  }

  protected received(text: string): void {
    this.texts.push(text);
  }

  /** The messages that no caller has taken yet. */
  get unread(): readonly JsonObject[] {
    return this.texts.map((text) => JSON.parse(text) as JsonObject);
  }

  /** Takes the first message that fits, and drops earlier messages. */
  next(fits: (message: JsonObject) => boolean = () => true): Promise<JsonObject> {
    const take = (): JsonObject | undefined => {
      for (const [at, text] of this.texts.entries()) {
        const message = JSON.parse(text) as JsonObject;
        if (!fits(message)) continue;
        this.texts.splice(0, at + 1);
        return message;
      }
      return undefined;
    };
    return this.arrivals.until(take, 'no message that fits', this.options.limit);
  }

  async take(count: number): Promise<readonly JsonObject[]> {
    const messages: JsonObject[] = [];
    while (messages.length < count) messages.push(await this.next());
    return messages;
  }

  /** Resolves when `count` messages wait to be taken. */
  async holds(count: number): Promise<void> {
    const { limit } = this.options;
    await this.arrivals.until(() => this.texts.length >= count || undefined, 'no further message', limit);
  }

  /** Sends a text unchanged. */
  say(text: string): void {
    this.options.exchanged?.('client', text);
    this.socket.send(text);
  }

  /** Resolves when all earlier messages of the server have arrived. */
  async settled(): Promise<void> {
    let answered: true | undefined;
    this.socket.once('pong', () => {
      answered = true;
      this.arrivals.notify();
    });
    this.socket.ping();
    await this.arrivals.until(() => answered, 'no pong', this.options.limit);
  }

  close(): void {
    this.socket.terminate();
  }
}

/** The answer to an upgrade that must be refused; rejects if it is accepted. */
export const refusedUpgrade = (url: string, options: ListenerOptions = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const socket = connect(url, options);
    socket.on('open', () => {
      socket.terminate();
      reject(new Error(`the upgrade of ${url} was accepted`));
    });
    socket.on('unexpected-response', (_request, response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        resolve(answerOf(response.statusCode ?? 0, new Headers(headers), Buffer.concat(parts)));
      });
    });
    socket.on('error', () => undefined);
  });
