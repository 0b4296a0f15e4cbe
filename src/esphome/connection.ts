/** A connection of the ESPHome native API, of either side. */
import type { Duplex } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { systemReason } from '../system/system-error.js';
import type { FrameError, Framing, FramingUser } from './framing.js';
import {
  decodeMessage,
  dispatch,
  encodeMessage,
  type AnyMessage,
  type MessageOf,
  type Name,
  type Receivers,
} from './messages.js';

/** After so long without a message the other side is asked whether it is there, ms; clients of ESPHome use the same. */
const PING_MS = 20_000;
/** After so long without a message the other side counts as gone, ms. */
export const SILENCE_MS = 4.5 * PING_MS;

/** Why a connection ended. */
export type ConnectionEnd =
  | FrameError
  /** Closed by us, or by the other side; `reason`: an error of the system. */
  | { readonly _tag: 'Ended'; readonly reason?: string }
  | { readonly _tag: 'Silent'; readonly ms: number };

export interface ConnectionOptions {
  /** TCP without delay. */
  readonly socket: Duplex;
  readonly time: TimeSource;
  readonly frame: (user: FramingUser) => Framing;
  /** Messages can be sent from now on. */
  readonly ready: (connection: ApiConnection) => void;
  /** Every message but those of `ApiConnection` itself: pings, and the end. */
  readonly message: (message: AnyMessage) => void;
  /** Called once. */
  readonly ended: (end: ConnectionEnd) => void;
}

export class ApiConnection {
  private readonly framing: Framing;
  private end: ConnectionEnd | undefined;
  private cancel: Cancel = () => undefined;
  private receivedAt: number;

  /** Messages about the connection itself. */
  private readonly own: Receivers = {
    PingRequest: () => this.send('PingResponse'),
    PingResponse: () => undefined,
    DisconnectRequest: () => {
      this.send('DisconnectResponse');
      this.finish({ _tag: 'Ended' });
    },
    DisconnectResponse: () => undefined,
  };

  constructor(private readonly options: ConnectionOptions) {
    const { socket, time, frame } = options;
    this.receivedAt = time.now();
    this.framing = frame({
      write: (bytes) => void socket.write(bytes),
      ready: () => {
        if (this.end === undefined) options.ready(this);
      },
      packet: (packet) => {
        if (this.end !== undefined) return;
        const decoded = decodeMessage(packet);
        if (E.isLeft(decoded)) this.finish({ _tag: 'BadFrame', reason: decoded.left });
        else if (decoded.right !== undefined && !dispatch(this.own, decoded.right))
          options.message(decoded.right);
      },
    });
    socket.on('data', (bytes: Buffer) => {
      this.receivedAt = time.now();
      const received = this.end === undefined ? this.framing.receive(bytes) : E.right(undefined);
      if (E.isLeft(received)) this.finish(received.left);
    });
    socket.on('error', (error) => this.finish({ _tag: 'Ended', reason: systemReason(error) }));
    socket.on('close', () => this.finish({ _tag: 'Ended' }));
    this.watch();
  }

  /** Bytes that the network has not taken yet. */
  get unsent(): number {
    return this.options.socket.writableLength;
  }

  send<N extends Name>(name: N, message: Partial<MessageOf<N>> = {}): void {
    if (this.end === undefined) this.framing.send(encodeMessage(name, message));
  }

  /** Ends it in order: what was sent arrives. */
  close(): void {
    this.send('DisconnectRequest');
    this.finish({ _tag: 'Ended' });
  }

  /** Asks a side that is silent whether it is there, and gives up one that does not answer. */
  private watch(): void {
    const { time } = this.options;
    this.cancel = time.after(PING_MS, () => {
      const silentMs = time.now() - this.receivedAt;
      if (silentMs >= SILENCE_MS) {
        this.finish({ _tag: 'Silent', ms: silentMs });
        return;
      }
      if (silentMs >= PING_MS) this.send('PingRequest');
      this.watch();
    });
  }

  private finish(end: ConnectionEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.cancel();
    const { socket } = this.options;
    if (end._tag === 'Silent') socket.destroy();
    else socket.end(() => socket.destroy());
    this.options.ended(end);
  }
}
