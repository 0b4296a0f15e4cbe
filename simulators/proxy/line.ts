/** A connection in a slow or stalled network. TCP sends lost packets again, so that a loss is a delay. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TimeSource } from '../../src/async/time.js';
import { DelayQueue } from '../radio/medium/delay-queue.js';

/** The present state of a network. */
export interface Network {
  /** How long the next bytes take, ms. */
  readonly delay: () => number;
  readonly isStalled: () => boolean;
}

/** Bytes that may be under way before the sender has to wait. */
const MAX_AHEAD = 65_536;

export interface Line {
  readonly stream: Duplex;
  /** The network has changed. */
  readonly pump: () => void;
}

/** A stream over `socket` through a network. */
export const openLine = (socket: Socket, network: Network, time: TimeSource): Line => {
  const lanes = { in: new DelayQueue(time, network.isStalled), out: new DelayQueue(time, network.isStalled) };
  let ahead = 0;
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, accepted) => {
      ahead += chunk.length;
      const waits = ahead > MAX_AHEAD;
      lanes.out.push(network.delay(), () => {
        ahead -= chunk.length;
        socket.write(chunk);
        if (waits) accepted();
      });
      if (!waits) accepted();
    },
    final: (ended) =>
      lanes.out.push(network.delay(), () => {
        socket.end();
        ended();
      }),
    destroy: (error, destroyed) => {
      lanes.in.clear();
      lanes.out.clear();
      socket.destroy();
      destroyed(error);
    },
  });
  socket.on('data', (chunk: Buffer) => lanes.in.push(network.delay(), () => void stream.push(chunk)));
  socket.on('end', () => lanes.in.push(network.delay(), () => void stream.push(null)));
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  return {
    stream,
    pump: () => {
      lanes.in.run();
      lanes.out.run();
    },
  };
};
