/**
 * noble and bleno take their sockets from native modules, which need not be there. Loaded through this file, they use other
 * sockets instead.
 */
import { EventEmitter } from 'node:events';
import { loader, requireQuietly } from '../../system/packages.js';
import type { HciSocket } from './socket.js';

/** The native modules of noble and bleno, by the names under which both libraries require them. */
const SOCKET_MODULES: readonly string[] = ['@abandonware', '@stoprocent'].map(
  (scope) => `${scope}/bluetooth-hci-socket`,
);

/** Modules of noble and bleno for the Bluetooth of macOS, of Windows and of BlueZ; with other sockets, HCI works there, too. */
const SYSTEM_BINDINGS = /^\.\/(mac|win|dbus)\/bindings$/;
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

const takeNext = (): HciSocket => {
  const socket = next ?? new NoSocket();
  next = undefined;
  return socket;
};

/**
 * Replaces the native modules by sockets of `make` from now on, and other bindings by those for HCI; returns a function that
 * ends this.
 */
export const replaceNativeSocket = (make: () => HciSocket): (() => void) => {
  // A constructor: `new` returns its result.
  function Socket(): HciSocket {
    return make();
  }
  const module = Object.assign(Socket, { loadDriver: () => Socket });
  const load = loader._load;
  loader._load = (request, parent, isMain) =>
    SOCKET_MODULES.includes(request)
      ? module
      : load.call(loader, SYSTEM_BINDINGS.test(request) ? HCI_BINDINGS : request, parent, isMain);
  return () => (loader._load = load);
};

/** Loads a CommonJS module of noble or bleno with a stand-in for the native socket. */
export const requireWithStandIn = (path: string): unknown => {
  const restore = replaceNativeSocket(takeNext);
  try {
    return requireQuietly(path);
  } finally {
    restore();
  }
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
