import * as E from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { DeviceError } from '../devices/device-error.js';
import type { MadeDevice } from '../devices/device-kind.js';

export interface SimulatedDevice {
  readonly address: string;
  readonly kind: string;
  readonly device: MadeDevice;
}

/** Gets the JSON text of `{"address","kind","model"}`, or with `"event"` instead of a model if no model shows the change. */
export type NewsListener = (text: string) => void;

/** Devices that can be looked at and moved, wherever they are on the air. */
export interface DeviceList {
  list(): readonly SimulatedDevice[];
  find(address: string): E.Either<DeviceError, SimulatedDevice>;
  /** All fields of a device: those of the list first, which its model cannot override. */
  describe(simulated: SimulatedDevice): JsonRecord;
  /** Calls back with every device as it is, then at every change. Returns the way to stop. */
  listen(listener: NewsListener): () => void;
}

export const describedWith = (
  { address, kind, device }: SimulatedDevice,
  place: JsonRecord = {},
): JsonRecord => {
  const { name, connected, advertising } = device.peripheral;
  // Spreads take V8 many times as long.
  const own = Object.assign({ address, kind, name, connected, advertising }, place);
  return Object.assign({}, own, device.model(), own);
};

export const deviceFailed = (
  address: string,
  operation: 'come up' | 'close in order',
  thrown: unknown,
): DeviceError => ({ _tag: 'DeviceFailed', address, operation, reason: String(thrown) });

/** Left: it did not close in order, which is no reason to keep it. */
export const closeDevice = ({ address, device }: SimulatedDevice): E.Either<DeviceError, void> =>
  E.tryCatch(
    () => device.close(),
    (thrown) => deviceFailed(address, 'close in order', thrown),
  );
