import { WebSocket } from 'ws';
import { authorizationFor } from './authorization.js';
import { SocketClient } from './socket-client.js';

export type Message = Readonly<Record<string, unknown>>;

/** A WebSocket client that keeps every message in the order it came. */
export class StreamClient extends SocketClient {
  /** Messages as they came, JSON text. */
  readonly messages: string[] = [];
  private read = 0;

  /** `patience`: how long a message may take, milliseconds. */
  static open(url: string, patience: number): Promise<StreamClient> {
    return new StreamClient(url, patience).opened();
  }

  protected received(message: string): void {
    this.messages.push(message);
  }

  /** Resolves when `count` messages have come in all. */
  reaches(count: number): Promise<void> {
    return this.until(() => this.messages.length >= count, 'no further message');
  }

  /**
   * Forgets what came after the first `from` messages and before the roll that ended on `face`: attempts of somebody
   * who rolls until that face is up. Without such a roll, within patience, all stays for the next step to see.
   */
  async forgetAttempts(from: number, face: number): Promise<void> {
    const endedOn = (message: string): boolean => (JSON.parse(message) as { face?: number }).face === face;
    let seen = from;
    while (!this.messages.slice(seen).some(endedOn)) {
      seen = this.messages.length;
      try {
        await this.reaches(seen + 1);
      } catch {
        return;
      }
    }
    const end = this.messages.findIndex((message, index) => index >= seen && endedOn(message));
    const start = this.messages.findLastIndex(
      (message, index) => index < end && (JSON.parse(message) as { kind?: string }).kind === 'RollStart',
    );
    if (start > from) this.messages.splice(from, start - from);
  }

  /** The next message that fits, decoded; waits for it if need be, and skips those before it. */
  async next(fits: (message: Message) => boolean = () => true): Promise<Message> {
    let found: Message | undefined;
    await this.until(() => {
      while (found === undefined && this.read < this.messages.length) {
        const message = JSON.parse(this.messages[this.read++] ?? '') as Message;
        if (fits(message)) found = message;
      }
      return found !== undefined;
    }, 'no message that fits');
    return found ?? {};
  }

  /** The messages that were not read yet. */
  get unread(): readonly string[] {
    return this.messages.slice(this.read);
  }
}

/** How an upgrade of `url` is refused: status and body; rejects if it is accepted. */
export const refusedUpgrade = (url: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: authorizationFor(url) });
    socket.on('open', () => {
      socket.terminate();
      reject(new Error(`the upgrade of ${url} was accepted`));
    });
    socket.on('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    socket.on('error', () => undefined);
  });
