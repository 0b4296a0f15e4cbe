/** The adapters of this machine, and which of them is used by default. */
import { openClosableSocket } from './closable-socket.js';
import type { NativeSpec, UserSpec } from './spec.js';

/** `up`: in use by the kernel, or by one program exclusively. */
export interface ListedAdapter {
  readonly device: number;
  readonly up: boolean;
}

/**
 * All adapters, sorted by number.
 * @throws the errors of the native module, for example if it is not built.
 */
export const listAdapters = (): readonly ListedAdapter[] => {
  const kernel = openClosableSocket();
  const listed = kernel.socket.getDeviceList();
  kernel.close();
  return listed.map(({ devId, devUp }) => ({ device: devId, up: devUp })).sort((a, b) => a.device - b.device);
};

/** The adapters to try in turn: each one that is down, exclusively; then each one that is up, shared. */
export const serverChoices = (adapters: readonly ListedAdapter[]): readonly (UserSpec | NativeSpec)[] => [
  ...adapters.flatMap(({ device, up }): UserSpec[] => (up ? [] : [{ kind: 'user', device }])),
  ...adapters.flatMap(({ device, up }): NativeSpec[] => (up ? [{ kind: 'native', device }] : [])),
];
