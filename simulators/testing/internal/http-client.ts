import { systemReason } from '../../../src/system/system-error.js';
import { RawConnection } from './raw-connection.js';

/** A received response. */
export interface Answer {
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Sent unchanged. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Headers besides those of the client. The type of a body is `application/json` unless `content-type` is set. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the request. */
  readonly signal?: AbortSignal | null;
}

export interface HttpOptions {
  /** The limit of each request, milliseconds; none if left out. */
  readonly limit?: number;
  /** Sent with each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Receives each request with its answer, for a transcript or a check. `sentAt`: milliseconds since 1970. */
  readonly exchanged?: (call: Call, answer: Answer, sentAt: number) => void;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

export const answerOf = (status: number, headers: Headers, bytes: Buffer): Answer => {
  const text = bytes.toString();
  const ok = status >= 200 && status < 300;
  return { status, ok, headers, bytes, text, json: parsed(text) };
};

/** A client of an HTTP server, which accepts every answer. */
export class HttpClient {
  /** `url`: without a slash at its end. */
  constructor(
    readonly url: string,
    private readonly options: HttpOptions = {},
  ) {}

  private headersOf({ body, headers = {} }: Call): Headers {
    const all = new Headers(this.options.headers);
    if (body !== undefined) all.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return all;
  }

  /** Rejects with the reason if no answer arrives. */
  async send(call: Call): Promise<Answer> {
    const { path, signal = null, ...init } = call;
    const { limit } = this.options;
    const sentAt = Date.now();
    const late = limit === undefined ? undefined : AbortSignal.timeout(limit);
    let answer: Answer;
    try {
      const response = await fetch(this.url + path, {
        ...{ ...init, headers: this.headersOf(call) },
        signal: late !== undefined && signal !== null ? AbortSignal.any([signal, late]) : (late ?? signal),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      answer = answerOf(response.status, response.headers, bytes);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const reason =
        late?.aborted === true ? `no answer within ${Number(limit) / 1000} s` : systemReason(error);
      throw new Error(`${call.method} ${this.url}${path} was not answered: ${reason}`, { cause: error });
    }
    this.options.exchanged?.(call, answer, sentAt);
    return answer;
  }

  /** Sends all calls on one connection without waiting; the answers come in the same order. */
  async sendInOrder(calls: readonly Call[]): Promise<readonly Answer[]> {
    const connection = await RawConnection.open(this.url);
    const sentAt = Date.now();
    for (const call of calls) {
      const { method, path, body = '' } = call;
      const headers = this.headersOf(call);
      headers.set('host', 'localhost');
      headers.set('content-length', String(Buffer.byteLength(body)));
      const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
      connection.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, Buffer.from(body));
    }
    const answers = (await connection.answers(calls.length)).map(({ status, headers, body }) =>
      answerOf(status, headers, body),
    );
    connection.close();
    for (const [index, answer] of answers.entries()) {
      const call = calls[index];
      if (call !== undefined) this.options.exchanged?.(call, answer, sentAt);
    }
    return answers;
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path });
  }

  /** `body`: sent as JSON. */
  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.send({ method: 'POST', path, body: JSON.stringify(body) });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send({ method: 'PUT', path, body: JSON.stringify(body) });
  }

  delete(path: string): Promise<Answer> {
    return this.send({ method: 'DELETE', path });
  }
}
