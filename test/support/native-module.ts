/** Stand-ins for the native HCI socket module. */
import { loader } from '../../src/system/packages.js';

const NATIVE_SOCKET = '@abandonware/bluetooth-hci-socket';

/** Runs `task`; meanwhile `load` stands in for the loading of the native module. */
export const withNativeModule = async <A>(load: () => unknown, task: () => Promise<A>): Promise<A> => {
  const original = loader._load;
  loader._load = (request, parent, isMain) =>
    request === NATIVE_SOCKET ? load() : original.call(loader, request, parent, isMain);
  try {
    return await task();
  } finally {
    loader._load = original;
  }
};

/** The error of Node when the module was not compiled. */
export const notBuilt = (): never => {
  throw Object.assign(new Error(`Cannot find module '../build/Release/bluetooth_hci_socket.node'`), {
    code: 'MODULE_NOT_FOUND',
  });
};
