/** An H4 stream (Core 5.4 Vol 4 Part A 2) over TCP, a Unix socket or within this process, as a transport of packets. */
import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { h4Reader } from './h4.js';
import type { HciTransport } from './host-socket.js';
import type { OwnSpec, StreamSpec } from './spec.js';

/** Detects that the other machine is gone even if nothing is sent. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 10_000 };

/** A stream to a controller; it emits `connect` when it is connected, and errors like any socket. */
export const connectStream = (spec: StreamSpec): Socket =>
  spec.kind === 'tcp'
    ? connect({ host: spec.host, port: spec.port, noDelay: true, ...KEEP_ALIVE })
    : connect({ path: spec.path });

export class H4Stream extends EventEmitter implements HciTransport {
  readonly resetLimit = 200;
  private stream: Duplex | undefined;

  constructor(private readonly spec: StreamSpec | OwnSpec) {
    super();
  }

  open(): void {
    const { spec } = this;
    const stream = spec.kind === 'own' ? spec.open() : connectStream(spec);
    this.stream = stream;
    const read = h4Reader(
      (packet) => this.emit('packet', packet),
      (reason) => stream.destroy(new Error(reason)),
    );
    if (spec.kind === 'own') process.nextTick(() => this.emit('open'));
    else stream.on('connect', () => this.emit('open'));
    stream.on('data', read);
    stream.on('error', (error) => this.emit('error', error));
    stream.on('close', () => {
      if (this.stream === stream) this.emit('close');
    });
  }

  write(packet: Buffer): void {
    const { stream } = this;
    if (stream === undefined) return;
    // One system call for all packets of this turn of the event loop.
    stream.cork();
    stream.write(packet);
    process.nextTick(() => stream.uncork());
  }

  close(): void {
    this.stream?.destroy();
    this.stream = undefined;
  }
}
