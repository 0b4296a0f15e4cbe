/** The adapters of this machine, and which of them is used by default. */
import { NativeSocket } from './native-socket.js';
import type { NativeSpec, UserSpec } from './spec.js';

/** `up`: in use by the kernel, or by one program exclusively. */
export interface ListedAdapter {
  readonly device: number;
  readonly up: boolean;
}

/**
 * All adapters, sorted by number.
 * @throws the errors of `NativeSocket`.
 */
export const listAdapters = (): readonly ListedAdapter[] =>
  new NativeSocket()
    .getDeviceList()
    .map(({ devId, devUp }) => ({ device: devId, up: devUp }))
    .sort((a, b) => a.device - b.device);

/** The adapters to try in turn: each one that is down, exclusively; then each one that is up, shared. */
export const serverChoices = (adapters: readonly ListedAdapter[]): readonly (UserSpec | NativeSpec)[] => [
  ...adapters.flatMap(({ device, up }): UserSpec[] => (up ? [] : [{ kind: 'user', device }])),
  ...adapters.flatMap(({ device, up }): NativeSpec[] => (up ? [{ kind: 'native', device }] : [])),
];
