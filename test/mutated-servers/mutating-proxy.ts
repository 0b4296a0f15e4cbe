import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { parsed } from '../../features/clients/documents.js';

export type Json = unknown;
export type JsonObject = Readonly<Record<string, unknown>>;

export interface Request {
  readonly method: string;
  readonly path: string;
  /** The parsed JSON body, or undefined. */
  readonly body: Json;
}

export interface Answer {
  readonly status: number;
  readonly json: Json;
  /** The text of an answer that is not JSON. */
  readonly text?: string;
  readonly contentType?: string;
}

/** One defect of a server. Without a function, the proxy passes that part on unchanged. */
export interface Change {
  /** Changes the request's body before the server sees it. */
  readonly ask?: (asked: Request) => Json;
  /** Changes the path of a request, with its query, before the server sees it. */
  readonly path?: (asked: Request) => string;
  /** Answers in the server's place. */
  readonly instead?: (asked: Request) => Answer | undefined;
  /** Changes the server's answer. */
  readonly answer?: (answered: Answer, asked: Request) => Answer;
  /** Changes one message of the server into any number of messages. `command`: the command of a response. */
  readonly message?: (message: JsonObject, command: JsonObject | undefined) => readonly Json[];
  /** Sends messages that fit to the other clients too, if they have sent a command of this type. */
  readonly leak?: { readonly fits: (message: JsonObject) => boolean; readonly to: string };
  /** Changes a message of the client. */
  readonly say?: (message: JsonObject) => Json;
  /** Changes the text of a message, or sends it as bytes. */
  readonly send?: (text: string) => string | Buffer;
  /** Changes the path of an upgrade. */
  readonly upgrade?: (path: string) => string;
}

/** The proxy hides the documents, so that steps notice the defect, not the check against the documents. */
const DOCUMENTS: readonly string[] = ['/openapi.json', '/asyncapi.json'];
const NO_DOCUMENT: Answer = { status: 404, json: {} };

/** Headers of answers that scenarios check. */
const PASSED_ON: readonly string[] = ['allow', 'retry-after'];

/** A proxy between the features and a correct server, which breaks the contract in one place at a time. */
export class MutatingProxy {
  current: Change = {};
  private readonly server: Server;
  private readonly sockets = new WebSocketServer({ noServer: true });
  /** The commands of each client, by their ids. */
  private readonly commands = new Map<WebSocket, Map<unknown, JsonObject>>();

  private constructor(private readonly target: string) {
    this.server = createServer((request, response) => {
      const leaving = new AbortController();
      response.once('close', () => leaving.abort());
      this.serve(request, response, leaving.signal).catch(() => response.destroy());
    });
    this.server.on('upgrade', (request, socket: Duplex, head: Buffer) => this.upgrade(request, socket, head));
  }

  static async start(target: string): Promise<MutatingProxy> {
    const proxy = new MutatingProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { ask, path, instead, answer } = this.current;
    const asked: Request = { method: request.method ?? '', path: request.url ?? '', body: parsed(text) };
    const replacement = DOCUMENTS.includes(asked.path) ? NO_DOCUMENT : instead?.(asked);
    if (replacement !== undefined) {
      reply(response, replacement);
      return;
    }
    const body = ask === undefined || asked.body === undefined ? text : JSON.stringify(ask(asked));
    const { accept = '*/*', 'content-type': contentType } = request.headers;
    const upstream = await fetch(this.target + (path?.(asked) ?? asked.path), {
      method: asked.method,
      signal,
      ...(text === '' ? {} : { body }),
      headers: { accept, ...(contentType !== undefined && { 'content-type': contentType }) },
    });
    const right = await answerOf(upstream);
    for (const name of PASSED_ON) {
      const value = upstream.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    reply(response, answer === undefined ? right : answer(right, asked));
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const {
      upgrade = (path: string) => path,
      message = (right: JsonObject) => [right],
      say,
      send,
      leak,
    } = this.current;
    const commands = new Map<unknown, JsonObject>();
    const upstream = new WebSocket(this.target.replace(/^http/, 'ws') + upgrade(request.url ?? ''));
    upstream.on('unexpected-response', (_request, refused) => {
      const lines = [
        `HTTP/1.1 ${refused.statusCode ?? 500} Refused`,
        'content-type: application/json',
        'connection: close',
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      refused.pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    upstream.on('open', () => {
      this.sockets.handleUpgrade(request, socket, head, (client) => {
        this.commands.set(client, commands);
        client.on('message', (data: Buffer) => {
          const said = parsed(data.toString());
          if (isObject(said) && isObject(said['command'])) commands.set(said['id'], said['command']);
          upstream.send(say !== undefined && isObject(said) ? JSON.stringify(say(said)) : data.toString());
        });
        client.on('close', () => {
          this.commands.delete(client);
          upstream.terminate();
        });
        upstream.on('close', () => client.terminate());
        upstream.on('message', (data: Buffer) => {
          const right = JSON.parse(data.toString()) as JsonObject;
          for (const changed of message(right, commands.get(right['id']))) {
            const text = JSON.stringify(changed);
            client.send(send?.(text) ?? text);
          }
          if (leak?.fits(right) === true) this.leak(data.toString(), client, leak.to);
        });
      });
    });
  }

  private leak(text: string, from: WebSocket, to: string): void {
    for (const [client, commands] of this.commands) {
      const fits = [...commands.values()].some(({ type }) => type === to);
      if (client !== from && fits) client.send(text);
    }
  }
}

export const isObject = (json: Json): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const answerOf = async (response: Response): Promise<Answer> => {
  const { status } = response;
  const text = await response.text();
  const contentType = response.headers.get('content-type') ?? undefined;
  const isJson = contentType?.startsWith('application/json') === true;
  return isJson
    ? { status, json: parsed(text) }
    : { status, json: undefined, text, ...(contentType && { contentType }) };
};

const reply = (
  response: ServerResponse,
  { status, json, text: plain = '', contentType = 'application/json' }: Answer,
): void => {
  const text = json === undefined ? plain : JSON.stringify(json);
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
  response.end(text);
};
