import { once, setMaxListeners } from 'node:events';
import { WebSocket } from 'ws';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What the server answered to one request. */
export interface Response extends JsonObject {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
}

/** A WebSocket client of the clock server: responses by their id, events in the order they came. */
export class ClockClient {
  readonly events: JsonObject[] = [];
  /** Ids of the responses in the order they came. */
  readonly answered: number[] = [];
  readonly transcript: string[] = [];
  private nextId = 1;
  private readonly responses: Response[] = [];
  private readonly arrived = new EventTarget();

  private constructor(
    private readonly socket: WebSocket,
    private readonly patience: number,
  ) {
    // As many wait as there are commands under way.
    setMaxListeners(0, this.arrived);
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      this.transcript.push(`< ${text.slice(0, 2000)}`);
      const message = JSON.parse(text) as JsonObject;
      if ('event' in message) {
        this.events.push(message);
      } else {
        this.responses.push(message as Response);
        this.answered.push(Number(message['id']));
      }
      this.arrived.dispatchEvent(new Event('message'));
    });
  }

  /** `patience`: how long anything may take, milliseconds. */
  static async open(url: string, patience: number): Promise<ClockClient> {
    const socket = new WebSocket(url);
    const client = new ClockClient(socket, patience);
    await once(socket, 'open');
    return client;
  }

  /** Sends a command and resolves with its response. */
  async command(command: unknown): Promise<Response> {
    const id = this.nextId++;
    this.say(JSON.stringify({ id, command }));
    return this.response(id);
  }

  /** Sends a text as it is. */
  say(text: string): void {
    this.transcript.push(`> ${text.slice(0, 2000)}`);
    this.socket.send(text);
  }

  /** The response with this id, taken out. */
  async response(id: number): Promise<Response> {
    await this.until(
      () => this.responses.some((response) => response.id === id),
      `there was no response ${id}`,
    );
    const at = this.responses.findIndex((response) => response.id === id);
    const [found] = this.responses.splice(at, 1);
    if (found === undefined) throw new Error(`there was no response ${id}`);
    return found;
  }

  /** The first event that fits, whether it came already or not; it and what came before is taken out. */
  async event(fits: (event: JsonObject) => boolean): Promise<JsonObject> {
    await this.until(() => this.events.some(fits), 'there was no such event');
    const at = this.events.findIndex(fits);
    const [found] = this.events.splice(0, at + 1).slice(-1);
    return found ?? {};
  }

  /** Resolves when the server has answered a ping: everything it sent before has come. */
  async settled(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }

  close(): void {
    this.socket.terminate();
  }

  private async until(holds: () => boolean, otherwise: string): Promise<void> {
    const deadline = AbortSignal.timeout(this.patience);
    while (!holds()) {
      const waiting = new AbortController();
      const signal = AbortSignal.any([deadline, waiting.signal]);
      await new Promise<void>((resolve, reject) => {
        this.arrived.addEventListener('message', () => resolve(), { once: true, signal });
        deadline.addEventListener(
          'abort',
          () => reject(new Error(`${otherwise} within ${this.patience} ms`)),
          { once: true, signal: waiting.signal },
        );
      }).finally(() => waiting.abort());
    }
  }
}
