/**
 * The native module's socket, with an end. The module keeps its sockets from being collected, so that each is open until
 * the process ends; and as long as one is open Linux gives its adapter's number to no other: an adapter that is unplugged
 * and plugged in again would have another.
 */
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import type { HciSocket } from './socket.js';
import { openNativeSocket } from './stand-in.js';

/** What the native module offers beyond what noble needs. */
interface NativeSocket extends HciSocket {
  /** Of a socket that is not bound. */
  getDeviceList(): readonly { readonly devId: number; readonly devUp: boolean }[];
}

export interface ClosableSocket {
  readonly socket: NativeSocket;
  readonly close: () => void;
}

const DESCRIPTORS = '/proc/self/fd';

/** Descriptors of this process's sockets, by what they lead to, such as `socket:[10897]`; none where Linux does not run. */
export const openSockets = (): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  if (process.platform !== 'linux') return found;
  for (const descriptor of readdirSync(DESCRIPTORS)) {
    try {
      found.set(readlinkSync(`${DESCRIPTORS}/${descriptor}`), Number(descriptor));
    } catch {
      // The one by which the folder was read.
    }
  }
  return new Map([...found].filter(([target]) => target.startsWith('socket:')));
};

/** @throws what the native module throws, as where it is not built. */
export const openClosableSocket = (): ClosableSocket => {
  const before = openSockets();
  const socket = openNativeSocket() as NativeSocket;
  const ours = [...openSockets()].find(([target]) => !before.has(target));
  return {
    socket,
    close: () => {
      socket.removeAllListeners();
      socket.stop();
      // Whoever still holds it must not reach what gets its descriptor next.
      socket.write = () => undefined;
      if (ours !== undefined) closeSync(ours[1]);
    },
  };
};
