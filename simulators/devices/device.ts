import type { Either } from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import type * as codecs from '../../src/codecs/index.js';
import type { TimeSource } from '../../src/async/time.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import type { DeviceError } from './device-error.js';
import type { Peripheral, PeripheralOptions } from '../peripheral/index.js';

/** The fields of each action, by its `type`. */
export type ActionCodecs = Readonly<
  Record<string, codecs.AnyCodec & Pick<codecs.ClosedObject<unknown>, 'fields'>>
>;

/** The effect of each action, by its `type`. Left: why it cannot be done. */
export type Actions<C extends ActionCodecs> = {
  readonly [T in keyof C]: (fields: t.TypeOf<C[T]>) => void | Either<DeviceError, void>;
};

/** The part of a device on the air, as far as all need it. */
export type PeripheralOnAir = Pick<Peripheral, 'ready' | 'name' | 'connected' | 'advertising' | 'close'>;

/** One simulated device of any kind. */
export interface Device<C extends ActionCodecs, Behaviour> {
  /** Its part on the air; released after `close`. */
  readonly peripheral: PeripheralOnAir;
  /** Everything else there is to know of it. */
  model(): JsonRecord;
  /** Actions of a person on the device, or of the room around it. */
  readonly actions: Actions<C>;
  /** Sets how it misbehaves, whole. */
  setBehaviour(behaviour: Behaviour): void;
  /** Releases timers. */
  close(): void;
}

/** The world, as a device needs it. */
export interface Context {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly addressType: 'public' | 'random';
  /** The device's controller, for a host of its own; else `createPeripheral` takes it. */
  readonly socket: HciSocket;
  /** A GATT server on the device's controller, which has room for one; the world notices when its link begins or ends. */
  readonly createPeripheral: (options: Omit<PeripheralOptions, 'socket' | 'changed'>) => Peripheral;
  /** The time it lives by. */
  readonly time: TimeSource;
  /** Real time at any pace, for limits on a host's answers. */
  readonly hostTime: TimeSource;
  /** Chance, in [0, 1). */
  readonly rng: () => number;
  /** Signal strength where the device is, dBm; null: not known. */
  readonly rssi: () => number | null;
  /** Whether anybody scans now. */
  readonly listened: () => boolean;
  /** To be called when anything that `model` shows has changed. */
  readonly changed: () => void;
  /** Something happened that `model` does not show; `event` is called only if there is a listener. */
  readonly happened: (event: () => JsonRecord) => void;
}
