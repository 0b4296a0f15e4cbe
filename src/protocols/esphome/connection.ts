/** A connection of the ESPHome native API, for clients and servers. */
import type { Duplex } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import { openSlices } from '../../async/slices.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { systemReason } from '../../system/system-error.js';
import { LONGEST_PAYLOAD, type FrameError, type Framing, type FramingUser } from './framing.js';
import {
  decodeMessage,
  dispatch,
  encodeMessage,
  type AnyMessage,
  type MessageOf,
  type Name,
  type Packet,
  type Receivers,
} from './messages.js';

/** The silence after which a ping is sent, ms; clients of ESPHome use the same. */
const PING_MS = 20_000;
/** The silence after which the connection ends, ms. */
export const SILENCE_MS = 4.5 * PING_MS;

/** The time for an answer to `probe`, ms. */
const PROBE_MS = 5_000;

/** How long unsent bytes may take after `close`, ms; then the connection is cut. */
export const CLOSE_MS = 5_000;
/** The most unsent bytes; beyond this the connection is cut. */
const MOST_UNSENT = 4 * 1024 * 1024;

/** Gets each message before it is handled. */
export type MessageTap = (direction: 'sent' | 'received', name: Name, message: object) => void;

/** The reason for the end of a connection. */
export type ConnectionEnd =
  | FrameError
  /** Closed by either side; `reason`: an error of the system. */
  | { readonly _tag: 'Ended'; readonly reason?: string }
  | { readonly _tag: 'Silent'; readonly ms: number };

export interface ConnectionOptions {
  /** A TCP connection without delay. */
  readonly socket: Duplex;
  readonly time: TimeSource;
  readonly frame: (user: FramingUser) => Framing;
  /** Called when messages can be sent. */
  readonly ready: (connection: ApiConnection) => void;
  /** Called with every message except those about the connection itself, which `ApiConnection` handles. */
  readonly message: (message: AnyMessage) => void;
  /** Called once. */
  readonly ended: (end: ConnectionEnd) => void;
  readonly tap?: MessageTap | undefined;
}

export class ApiConnection {
  private readonly framing: Framing;
  private end: ConnectionEnd | undefined;
  private cancel: Cancel = () => undefined;
  private cancelProbe: Cancel = () => undefined;
  private receivedAt: number;

  /** Messages about the connection itself. */
  private readonly control: Receivers = {
    PingRequest: () => void this.send('PingResponse'),
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
    const slices = openSlices(time);
    let waiting = 0;
    /** Runs `task` after the messages that came before it; nothing more is read until then. */
    const inOrder = (task: () => void): void => {
      waiting += 1;
      const isDone = slices(() => {
        waiting -= 1;
        if (waiting === 0 && socket.isPaused()) socket.resume();
        task();
      });
      if (!isDone) socket.pause();
    };
    this.framing = frame({
      write: (bytes) => void socket.write(bytes),
      ready: () => {
        if (this.end === undefined) options.ready(this);
      },
      packet: (packet) => inOrder(() => this.receive(packet)),
    });
    socket.on('data', (bytes: Buffer) => {
      this.receivedAt = time.now();
      const received = this.end === undefined ? this.framing.receive(bytes) : E.right(undefined);
      if (E.isLeft(received)) inOrder(() => this.finish(received.left));
    });
    socket.on('error', (error) => inOrder(() => this.finish({ _tag: 'Ended', reason: systemReason(error) })));
    socket.on('close', () => inOrder(() => this.finish({ _tag: 'Ended' })));
    this.watch();
  }

  /** Bytes that wait to be sent. */
  get unsent(): number {
    return this.options.socket.writableLength;
  }

  /** Sends a message; does nothing after the end. False: the message is too long for a frame. */
  send<N extends Name>(name: N, message: Partial<MessageOf<N>> = {}): boolean {
    if (this.end !== undefined) return true;
    const packet = encodeMessage(name, message);
    if (packet.payload.length > LONGEST_PAYLOAD) return false;
    this.options.tap?.('sent', name, message);
    this.framing.send(packet);
    if (this.unsent > MOST_UNSENT)
      this.finish({ _tag: 'Ended', reason: 'it does not read its messages' }, true);
    return true;
  }

  /** Closes the connection after everything sent has arrived. */
  close(): void {
    this.send('DisconnectRequest');
    this.finish({ _tag: 'Ended' });
  }

  /** Pings the other side, and ends the connection if nothing comes back within 5 s. */
  probe(): void {
    const { time } = this.options;
    const askedAt = time.now();
    this.send('PingRequest');
    this.cancelProbe();
    this.cancelProbe = time.after(PROBE_MS, () => {
      if (this.receivedAt < askedAt) this.finish({ _tag: 'Silent', ms: time.now() - this.receivedAt });
    });
  }

  /** Cuts the connection: the other side exceeds the bounds of Bluetooth. */
  refuse(reason: string): void {
    this.finish({ _tag: 'Excess', reason });
  }

  private receive(packet: Packet): void {
    if (this.end !== undefined) return;
    const decoded = decodeMessage(packet);
    if (E.isLeft(decoded)) this.finish(decoded.left);
    else if (decoded.right !== undefined) {
      this.options.tap?.('received', decoded.right.name, decoded.right.message);
      if (!dispatch(this.control, decoded.right)) this.options.message(decoded.right);
    }
  }

  /** Pings a silent side, and ends the connection if it stays silent. */
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

  /** Ends the connection; `atOnce` drops unsent bytes. */
  private finish(end: ConnectionEnd, atOnce = end._tag === 'Silent' || end._tag === 'Excess'): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.cancel();
    this.cancelProbe();
    const { socket, time } = this.options;
    if (atOnce) socket.destroy();
    else {
      if (!socket.destroyed && socket.writableLength > 0)
        socket.once(
          'close',
          time.after(CLOSE_MS, () => socket.destroy()),
        );
      socket.end(() => socket.destroy());
    }
    this.options.ended(end);
  }
}
