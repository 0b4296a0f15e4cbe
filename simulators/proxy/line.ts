/** A connection in a slow or stalled network. TCP sends lost packets again, so that a loss is a delay. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Cancel, TimeSource } from '../../src/async/time.js';

/** How the network is now. */
export interface Network {
  /** How long the next bytes take, ms. */
  readonly delay: () => number;
  readonly isStalled: () => boolean;
}

/** Bytes that may be under way before the sender has to wait. */
const MOST_AHEAD = 65_536;

/** One direction: bytes come out in the order in which they were added, after their delay. */
const openLane = (time: TimeSource, network: Network) => {
  const waiting: { readonly due: number; readonly deliver: () => void }[] = [];
  let cancel: Cancel | undefined;
  let last = 0;
  const pump = (): void => {
    cancel?.();
    cancel = undefined;
    for (let [first] = waiting; first !== undefined && !network.isStalled(); [first] = waiting) {
      const left = first.due - time.now();
      if (left > 0) {
        cancel = time.after(left, pump);
        return;
      }
      waiting.shift();
      first.deliver();
    }
  };
  return {
    add: (deliver: () => void): void => {
      last = Math.max(last, time.now() + network.delay());
      waiting.push({ due: last, deliver });
      if (cancel === undefined) pump();
    },
    pump,
    close: (): void => {
      waiting.length = 0;
      cancel?.();
    },
  };
};

export interface Line {
  readonly stream: Duplex;
  /** The network has changed. */
  readonly pump: () => void;
}

/** `socket` behind a network. */
export const openLine = (socket: Socket, network: Network, time: TimeSource): Line => {
  const lanes = { in: openLane(time, network), out: openLane(time, network) };
  let ahead = 0;
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, taken) => {
      ahead += chunk.length;
      const waits = ahead > MOST_AHEAD;
      lanes.out.add(() => {
        ahead -= chunk.length;
        socket.write(chunk);
        if (waits) taken();
      });
      if (!waits) taken();
    },
    final: (ended) =>
      lanes.out.add(() => {
        socket.end();
        ended();
      }),
    destroy: (error, destroyed) => {
      lanes.in.close();
      lanes.out.close();
      socket.destroy();
      destroyed(error);
    },
  });
  socket.on('data', (chunk: Buffer) => lanes.in.add(() => void stream.push(chunk)));
  socket.on('end', () => lanes.in.add(() => void stream.push(null)));
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  return {
    stream,
    pump: () => {
      lanes.in.pump();
      lanes.out.pump();
    },
  };
};
