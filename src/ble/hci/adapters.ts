/** The adapters of this machine, and which of them a server takes that was told of none. */
import { openClosableSocket } from './closable-socket.js';
import type { NativeSpec, UserSpec } from './spec.js';

/** `up`: the kernel uses it, or a program has it for itself. */
export interface ListedAdapter {
  readonly device: number;
  readonly up: boolean;
}

/**
 * All of them, by number.
 * @throws what the native module throws, as where it is not built.
 */
export const listAdapters = (): readonly ListedAdapter[] => {
  const kernel = openClosableSocket();
  const listed = kernel.socket.getDeviceList();
  kernel.close();
  return listed
    .map(({ devId, devUp }) => ({ device: devId, up: devUp }))
    .sort((one, other) => one.device - other.device);
};

/** What a server tries, one after the other: to have an adapter that is down for itself, then to share one that is up. */
export const serverChoices = (adapters: readonly ListedAdapter[]): readonly (UserSpec | NativeSpec)[] => [
  ...adapters.flatMap(({ device, up }): UserSpec[] => (up ? [] : [{ kind: 'user', device }])),
  ...adapters.flatMap(({ device, up }): NativeSpec[] => (up ? [{ kind: 'native', device }] : [])),
];
