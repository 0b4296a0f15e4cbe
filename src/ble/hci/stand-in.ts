/**
 * noble and bleno take their sockets from `@abandonware/bluetooth-hci-socket`, a native module that need not be there.
 * Loaded through this file, they use another socket instead.
 */
import { EventEmitter } from 'node:events';
import { loader, requireQuietly } from '../../system/packages.js';
import type { HciSocket } from './socket.js';

const SOCKET_MODULE = '@abandonware/bluetooth-hci-socket';

/** The module that bleno loads on macOS; its HCI bindings work there, too, with a stand-in. */
const MAC_BINDINGS = './mac/bindings';
const HCI_BINDINGS = './hci-socket/bindings';

/** The socket that the next `new BluetoothHciSocket()` becomes. */
let next: HciSocket | undefined;

/** A socket without a controller, for the management channel of Linux: bleno only writes to it. */
class NoSocket extends EventEmitter implements HciSocket {
  bindRaw = () => 0;
  bindUser = () => 0;
  bindControl = () => undefined;
  start = () => undefined;
  stop = () => undefined;
  isDevUp = () => false;
  setFilter = () => undefined;
  write = () => undefined;
}

function StandIn(): HciSocket {
  const socket = next ?? new NoSocket();
  next = undefined;
  return socket;
}

/** Loads a CommonJS module of noble or bleno with a stand-in for the native socket. */
export const requireWithStandIn = (path: string): unknown => {
  const load = loader._load;
  loader._load = (request, parent, isMain) => {
    if (request === SOCKET_MODULE) return StandIn;
    return load.call(loader, request === MAC_BINDINGS ? HCI_BINDINGS : request, parent, isMain);
  };
  try {
    return requireQuietly(path);
  } finally {
    loader._load = load;
  }
};

/** Replaces the native module of noble and bleno by sockets of `make` from now on. */
export const replaceNativeSocket = (make: () => HciSocket): void => {
  const load = loader._load;
  // A constructor: `new` returns its result.
  function Replacement(): HciSocket {
    return make();
  }
  loader._load = (request, parent, isMain) =>
    request === SOCKET_MODULE ? Replacement : load.call(loader, request, parent, isMain);
};

/** Runs `construct`; the first HCI socket that it creates is `socket`. */
export const withSocket = <A>(socket: HciSocket, construct: () => A): A => {
  next = socket;
  try {
    return construct();
  } finally {
    next = undefined;
  }
};
