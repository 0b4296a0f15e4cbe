import { expect } from 'chai';
import { Listener } from './client.js';

export interface Response {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
  readonly code?: string;
}

/** A client of the clock server: it matches responses by their id; what it listens to are events. */
export class ClockClient extends Listener {
  private nextId = 1;
  private readonly pending = new Map<number, (response: Response) => void>();

  send(command: unknown): Promise<Response> {
    const id = this.nextId++;
    return this.say(JSON.stringify({ id, command }), id);
  }

  /** Sends a text as it is and answers with the response that has `id`. */
  say(text: string, id: number): Promise<Response> {
    this.socket.send(text);
    return new Promise((resolve) => this.pending.set(id, resolve));
  }

  async succeed(command: unknown): Promise<unknown> {
    const { result, error } = await this.send(command);
    expect(error).to.equal(null);
    return result;
  }

  async fail(command: unknown): Promise<string> {
    const { result, error } = await this.send(command);
    expect(result).to.equal(null);
    return error ?? '';
  }

  protected override received(text: string): void {
    const message = JSON.parse(text) as Response;
    if ('event' in message) {
      super.received(text);
      return;
    }
    this.pending.get(message.id)?.(message);
    this.pending.delete(message.id);
  }
}
