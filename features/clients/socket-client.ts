import { once, setMaxListeners } from 'node:events';
import { WebSocket } from 'ws';
import { authorizationFor } from './authorization.js';
import { checkMessage } from './conformance.js';

/** A WebSocket of a scenario, and the wait for what comes by it. */
export abstract class SocketClient {
  private readonly socket: WebSocket;
  private readonly arrived = new EventTarget();

  /** `patience`: how long anything may take, milliseconds. */
  protected constructor(
    url: string,
    private readonly patience: number,
  ) {
    // As many wait as steps have things under way.
    setMaxListeners(0, this.arrived);
    this.socket = new WebSocket(url, { headers: authorizationFor(url) });
    this.socket.on('message', (data: Buffer) => {
      const text = data.toString();
      checkMessage(url, text);
      this.received(text);
      this.arrived.dispatchEvent(new Event('message'));
    });
  }

  protected abstract received(message: string): void;

  protected async opened(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  /** Resolves when it holds after some message; rejects with `otherwise` when patience is over. */
  protected async until(holds: () => boolean, otherwise: string): Promise<void> {
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

  /** Sends a text as it is. */
  say(text: string): void {
    this.socket.send(text);
  }

  /** Resolves when the server has answered a ping: everything it sent before has come. */
  async settled(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong', { signal: AbortSignal.timeout(this.patience) });
  }

  close(): void {
    this.socket.terminate();
  }
}
