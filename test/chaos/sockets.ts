import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Of an event as it came. */
export const numberOf = (event: string): number => (JSON.parse(event) as { readonly seq: number }).seq;

/** A WebSocket whose messages are all kept. */
export class Socket {
  /** Events as they came, JSON text. */
  readonly events: string[] = [];
  private readonly waiting = new Map<number, (response: ClockResponse) => void>();
  private nextId = 1;
  closed = false;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const { id, ...message } = JSON.parse(text) as { id?: number };
      if (id === undefined) this.events.push(text);
      else this.waiting.get(id)?.(message as ClockResponse);
    });
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static async open(url: string): Promise<Socket> {
    const socket = new WebSocket(url);
    const opened = new Socket(socket);
    await once(socket, 'open');
    return opened;
  }

  /** The response to a command; undefined if none came within `ms`. */
  command(command: object, ms: number): Promise<ClockResponse | undefined> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(undefined), ms);
      this.waiting.set(id, (response) => {
        clearTimeout(late);
        this.waiting.delete(id);
        resolve(response);
      });
      this.socket.send(JSON.stringify({ id, command }));
    });
  }

  /** Resolves when everything that the server sent before has come. */
  async caughtUp(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }

  /** What is judged is kept no longer. */
  forget(): void {
    this.events.length = 0;
  }

  close(): void {
    this.socket.terminate();
  }
}

export interface ClockResponse {
  readonly result: unknown;
  readonly error: string | null;
  readonly code?: string;
}
