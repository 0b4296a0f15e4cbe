import { SocketClient } from './socket-client.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The server's answer to one request. */
export interface Response extends JsonObject {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
}

/** A WebSocket client of the clock server: responses by their id, events in the order they came. */
export class ClockClient extends SocketClient {
  readonly events: JsonObject[] = [];
  /** Ids of the responses in the order they came. */
  readonly answered: number[] = [];
  readonly transcript: string[] = [];
  private nextId = 1;
  private readonly responses: Response[] = [];

  /** `patience`: how long anything may take, milliseconds. */
  static open(url: string, patience: number): Promise<ClockClient> {
    return new ClockClient(url, patience).opened();
  }

  protected received(text: string): void {
    this.transcript.push(`< ${text.slice(0, 2000)}`);
    const message = JSON.parse(text) as JsonObject;
    if ('event' in message) {
      this.events.push(message);
    } else {
      this.responses.push(message as Response);
      this.answered.push(Number(message['id']));
    }
  }

  /** Sends a command and resolves with its response. */
  async command(command: unknown): Promise<Response> {
    const id = this.nextId++;
    this.say(JSON.stringify({ id, command }));
    return this.response(id);
  }

  override say(text: string): void {
    this.transcript.push(`> ${text.slice(0, 2000)}`);
    super.say(text);
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
}
