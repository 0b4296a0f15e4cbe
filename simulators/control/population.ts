import * as E from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { coreError, notConnected, type Message, type ServerError } from '../../src/http/index.js';
import type { MadeDevice } from '../device-kind.js';

/** A device where the control API finds it. */
export interface Inhabitant {
  readonly address: string;
  readonly kind: string;
  readonly device: MadeDevice;
}

/** Devices that can be looked at and moved, wherever they are on the air. */
export interface Population {
  list(): readonly Inhabitant[];
  /** Left: no such device. */
  find(address: string): E.Either<ServerError, Inhabitant>;
  /** Everything there is to know of a device: what is known here first, and not overridden by its model. */
  describe(inhabitant: Inhabitant): JsonRecord;
  /** What `listen` would tell if everything had just changed. */
  messages(): readonly Message[];
  /** Hears every change: `{"address","kind","model"}`, or `"event"` for what no state shows. Returns the way to stop. */
  listen(listener: (message: Message) => void): () => void;
}

/** All that is known of a device; its model overrides nothing of what is known beside it. */
export const describedWith = ({ address, kind, device }: Inhabitant, place: JsonRecord = {}): JsonRecord => {
  const { name, connected, advertising } = device.peripheral;
  const own = { address, kind, name, connected, advertising, ...place };
  return { ...own, ...device.model(), ...own };
};

export const deviceFailed = (address: string, todo: string, thrown: unknown): ServerError =>
  coreError('device_failed', `the device ${address} did not ${todo}: ${String(thrown)}`);

/** Left: it did not close in order, which is no reason to keep it. */
export const closeDevice = ({ address, device }: Inhabitant): E.Either<ServerError, void> =>
  E.tryCatch(
    () => device.close(),
    (thrown) => deviceFailed(address, 'close in order', thrown),
  );

export const unknownDevice = (address: string): ServerError =>
  notConnected('unknown_device', `there is no device ${address}`);

export const unknownAdapter = (id: string): ServerError =>
  notConnected('unknown_adapter', `there is no adapter ${id}`);
