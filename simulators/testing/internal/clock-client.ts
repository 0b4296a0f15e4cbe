import { Listener, type JsonObject } from './listener.js';

/** The answer of the clock server to a message. */
export interface Response extends JsonObject {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
  readonly code?: string;
}

/** A client of the clock server's WebSocket: takes responses by their id, and listens to events. */
export class ClockClient extends Listener {
  /** Responses that no caller has taken yet. */
  readonly responses: Response[] = [];
  private lastId = 0;

  protected override received(text: string): void {
    const message = JSON.parse(text) as Response;
    if ('event' in message) super.received(text);
    else this.responses.push(message);
  }

  /** Sends a command; resolves with its response. */
  send(command: unknown): Promise<Response> {
    const id = ++this.lastId;
    return this.ask(JSON.stringify({ id, command }), id);
  }

  /** Sends a text unchanged; resolves with the response with `id`. */
  ask(text: string, id: number): Promise<Response> {
    const take = (): Response | undefined => {
      const at = this.responses.findIndex((response) => response.id === id);
      return at < 0 ? undefined : this.responses.splice(at, 1)[0];
    };
    this.say(text);
    return this.arrivals.until(take, `no response with the id ${id}`, this.options.limit);
  }

  /** Sends a command that must succeed; resolves with its result. */
  async succeed(command: unknown): Promise<unknown> {
    const { result, error } = await this.send(command);
    if (error !== null) throw new Error(`${JSON.stringify(command)} failed: ${error}`);
    return result;
  }

  /** Sends a command that must fail; resolves with its error. */
  async fail(command: unknown): Promise<string> {
    const { result, error } = await this.send(command);
    if (error === null || result !== null)
      throw new Error(`${JSON.stringify(command)} succeeded: ${JSON.stringify(result)}`);
    return error;
  }
}
