/** Stand-ins for the native HCI socket module. */
import { NATIVE_MODULE } from '../../src/ble/hci/native-socket.js';
import { loader } from '../../src/system/packages.js';

/** The native module under the names by which airbench, noble and bleno load it. */
const REQUESTS = [`${NATIVE_MODULE}/lib/native.js`, '@abandonware/bluetooth-hci-socket'];

/** Runs `task`; meanwhile `load` stands in for the loading of the native module. */
export const withNativeModule = async <A>(load: () => unknown, task: () => Promise<A>): Promise<A> => {
  const original = loader._load;
  loader._load = (request, parent, isMain) =>
    REQUESTS.includes(request) ? load() : original.call(loader, request, parent, isMain);
  try {
    return await task();
  } finally {
    loader._load = original;
  }
};

/** The error of Node when the module is not installed. */
export const notInstalled = (): never => {
  throw Object.assign(new Error(`Cannot find module '${NATIVE_MODULE}/lib/native.js'\nRequire stack:\n- x`), {
    code: 'MODULE_NOT_FOUND',
  });
};
