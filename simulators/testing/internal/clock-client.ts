import { Listener, type JsonObject } from './listener.js';

/** The answer of the clock server to a message. */
export interface Response extends JsonObject {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
  readonly code?: string;
}

/** A client of the clock server's WebSocket: responses by their id; the messages to listen to are events. */
export class ClockClient extends Listener {
  /** Responses that were not taken yet. */
  readonly responses: Response[] = [];
  private lastId = 0;

  protected override received(text: string): void {
    const message = JSON.parse(text) as Response;
    if ('event' in message) super.received(text);
    else this.responses.push(message);
  }

  /** Sends a command; its response. */
  send(command: unknown): Promise<Response> {
    const id = ++this.lastId;
    return this.ask(JSON.stringify({ id, command }), id);
  }

  /** Sends a text as it is; the response with `id`. */
  ask(text: string, id: number): Promise<Response> {
    const take = (): Response | undefined => {
      const at = this.responses.findIndex((response) => response.id === id);
      return at < 0 ? undefined : this.responses.splice(at, 1)[0];
    };
    this.say(text);
    return this.arrivals.until(take, `no response ${id}`, this.options.limit);
  }

  /** The result of a command that must succeed. */
  async succeed(command: unknown): Promise<unknown> {
    const { result, error } = await this.send(command);
    if (error !== null) throw new Error(`${JSON.stringify(command)} failed: ${error}`);
    return result;
  }

  /** The error of a command that must fail. */
  async fail(command: unknown): Promise<string> {
    const { result, error } = await this.send(command);
    if (error === null || result !== null)
      throw new Error(`${JSON.stringify(command)} succeeded: ${JSON.stringify(result)}`);
    return error;
  }
}
