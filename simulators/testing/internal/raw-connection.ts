import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Arrivals } from './arrivals.js';

/** A response whose body ends by its `content-length`, or with the connection. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';
/** Whether an answer is interim, which a switch of protocols is not. */
const isInterim = (status: number): boolean => status < 200 && status !== 101;

/** The whole responses in the bytes of a connection, in order. */
export const answersIn = (received: Buffer): readonly RawAnswer[] => {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return [];
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const remaining = received.subarray(end + HEAD_END.length);
  if (isInterim(status)) return answersIn(remaining);
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
  const length = Number(headers.get('content-length') ?? 0);
  if (remaining.length < length) return [];
  const body = remaining.subarray(0, length);
  return [{ status, headers, body }, ...answersIn(remaining.subarray(length))];
};

/** A TCP connection whose bytes the caller writes. */
export class RawConnection {
  private readonly parts: Buffer[] = [];
  private readonly arrivals = new Arrivals();
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (part: Buffer) => {
      this.parts.push(part);
      this.arrivals.notify();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.arrivals.end(`closed after ${this.received}`);
        resolve();
      });
    });
  }

  /** `url`: only its host and port matter. */
  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  /** All received bytes, as a character each. */
  get received(): string {
    return this.bytes.toString('latin1');
  }

  /** A text has one character for each byte. */
  write(...parts: readonly (string | Uint8Array)[]): void {
    this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))));
  }

  /** Resolves once `text` has arrived; rejects if the connection is closed before. */
  async until(text: string): Promise<void> {
    await this.arrivals.until(() => this.received.includes(text) || undefined, `no ${text}`);
  }

  /** The first `count` responses; rejects if the connection is closed before. */
  answers(count: number): Promise<readonly RawAnswer[]> {
    return this.arrivals.until(() => {
      const answers = answersIn(this.bytes);
      return answers.length < count ? undefined : answers.slice(0, count);
    }, `fewer than ${count} responses`);
  }

  /** The statuses of the received answers, in order. */
  get statuses(): readonly number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Writes `bytes` to a new connection; resolves with all that it receives until it is closed. */
export const rawExchange = async (url: string, bytes: string): Promise<string> => {
  const connection = await RawConnection.open(url);
  connection.write(Buffer.from(bytes));
  await connection.closed;
  return connection.bytes.toString();
};

/** The JSON after the head of a response. */
export const rawBody = (received: string): unknown =>
  JSON.parse(received.slice(received.indexOf(HEAD_END) + HEAD_END.length));
