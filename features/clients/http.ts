import { connect } from 'node:net';
import { authorizationFor } from './authorization.js';
import { checkAnswer } from './conformance.js';

/** One response, as it was received. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. */
  readonly text: string;
  /** The body read as JSON; undefined if it is none. */
  readonly json: unknown;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Sent as it is. */
  readonly body?: string;
  readonly contentType?: string;
}

/** A REST client that keeps a transcript. */
export class HttpClient {
  readonly transcript: string[] = [];

  constructor(readonly baseUrl: string) {}

  async send({ method, path, body, contentType = 'application/json' }: Call): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...authorizationFor(this.baseUrl),
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    this.transcript.push(
      `${method} ${path} ${(body ?? '').slice(0, 500)}`,
      `  ${response.status} ${text.slice(0, 2000)}`,
    );
    return this.checked({ method, path }, response, text);
  }

  private checked(
    { method, path }: Call,
    { status, headers }: Pick<Answer, 'status' | 'headers'>,
    text: string,
  ): Answer {
    checkAnswer(this.baseUrl, { method, path, status, contentType: headers.get('content-type'), text });
    return { status, headers, text, json: parsed(text) };
  }

  /** Sends all calls on one connection without waiting, so that they arrive in this order; responses in order too. */
  sendInOrder(calls: readonly Call[]): Promise<Answer[]> {
    const { hostname, port } = new URL(this.baseUrl);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) });
      const answers: Answer[] = [];
      let received = Buffer.alloc(0);
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        for (let next = firstAnswer(received); next !== undefined; next = firstAnswer(received)) {
          answers.push(next.answer);
          received = received.subarray(next.length);
        }
        if (answers.length < calls.length) return;
        socket.destroy();
        for (const [index, answer] of answers.entries()) {
          const { method = '', path = '' } = calls[index] ?? {};
          this.checked({ method, path }, answer, answer.text);
        }
        resolve(answers);
      });
      const authorization = Object.entries(authorizationFor(this.baseUrl)).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      for (const { method, path, body = '' } of calls) {
        socket.write(
          `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\n${authorization.join('')}content-type: application/json\r\n` +
            `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      }
    });
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path });
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send({ method: 'POST', path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send({ method: 'PUT', path, body: JSON.stringify(body) });
  }

  delete(path: string): Promise<Answer> {
    return this.send({ method: 'DELETE', path });
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** The first whole response in what a connection received, and its length in bytes. */
const firstAnswer = (received: Buffer): { answer: Answer; length: number } | undefined => {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString().split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':')[0] ?? '', line.replace(/^[^:]*:\s*/, '')]),
  );
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0);
  if (received.length < length) return undefined;
  const text = received.subarray(headEnd + 4, length).toString();
  return { answer: { status: Number(statusLine.split(' ')[1]), headers, text, json: parsed(text) }, length };
};
