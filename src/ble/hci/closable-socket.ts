/**
 * The native module's socket, with a way to close it. The module never closes its sockets. As long as one is open, Linux
 * does not reuse the number of its adapter: an adapter that is plugged in again would get another number.
 */
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import type { HciSocket } from './socket.js';
import { openNativeSocket } from './stand-in.js';

/** The native socket, with a method that noble does not use. */
interface NativeSocket extends HciSocket {
  /** Works only on an unbound socket. */
  getDeviceList(): readonly { readonly devId: number; readonly devUp: boolean }[];
}

const DESCRIPTORS = '/proc/self/fd';

/** The descriptors of this process's sockets, by their targets, such as `socket:[10897]`; empty on systems other than Linux. */
export const openSockets = (): ReadonlyMap<string, number> => {
  const sockets = new Map<string, number>();
  if (process.platform !== 'linux') return sockets;
  for (const descriptor of readdirSync(DESCRIPTORS)) {
    try {
      sockets.set(readlinkSync(`${DESCRIPTORS}/${descriptor}`), Number(descriptor));
    } catch {
      // The descriptor of the folder itself.
    }
  }
  return new Map([...sockets].filter(([target]) => target.startsWith('socket:')));
};

/** The result of `work`, and the descriptor of the socket that it opened, if any. */
export const withNewSocket = <A>(
  work: () => A,
): { readonly result: A; readonly opened: number | undefined } => {
  const before = openSockets();
  const result = work();
  return { result, opened: [...openSockets()].find(([target]) => !before.has(target))?.[1] };
};

/** @throws the errors of the native module, for example if it is not built. */
export const openClosableSocket = () => {
  const { result: socket, opened } = withNewSocket(() => openNativeSocket() as NativeSocket);
  return {
    socket,
    close: () => {
      socket.removeAllListeners();
      socket.stop();
      // A late write must not reach the next owner of the descriptor.
      socket.write = () => undefined;
      if (opened !== undefined) closeSync(opened);
    },
  };
};

export type ClosableSocket = ReturnType<typeof openClosableSocket>;
