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

/** The effect of each action, by its `type`. Left: the reason of its failure. */
export type Actions<C extends ActionCodecs> = {
  readonly [T in keyof C]: (fields: t.TypeOf<C[T]>) => void | Either<DeviceError, void>;
};

/** The part of a device on the air that all kinds have. */
export type PeripheralOnAir = Pick<Peripheral, 'ready' | 'name' | 'connected' | 'advertising' | 'close'>;

/** One simulated device of any kind. */
export interface Device<C extends ActionCodecs, Behaviour> {
  /** Its part on the air; released after `close`. */
  readonly peripheral: PeripheralOnAir;
  /** All other state of the device. */
  model(): JsonRecord;
  /** Actions of a person on the device, or of the room around it. */
  readonly actions: Actions<C>;
  /** Replaces all fields of its behaviour. */
  setBehaviour(behaviour: Behaviour): void;
  /** Releases timers. */
  close(): void;
}

/** The part of the world that a device needs. */
export interface Context {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly addressType: 'public' | 'random';
  /** The device's controller, for devices with their own host; `createPeripheral` uses it for all others. */
  readonly socket: HciSocket;
  /** A GATT server on the device's controller, which has room for one; the world notices when its link begins or ends. */
  readonly createPeripheral: (options: Omit<PeripheralOptions, 'socket' | 'changed'>) => Peripheral;
  /** The time of the simulation. */
  readonly time: TimeSource;
  /** Real time, whatever the pace of the simulation, for limits on a host's answers. */
  readonly hostTime: TimeSource;
  /** Chance, in [0, 1). */
  readonly rng: () => number;
  /** Signal strength where the device is, dBm; null: not known. */
  readonly rssi: () => number | null;
  /** Whether a host scans now. */
  readonly listened: () => boolean;
  /** Reports that `model` has changed. */
  readonly changed: () => void;
  /** Reports an event that `model` does not show; `event` is called only if there is a listener. */
  readonly happened: (event: () => JsonRecord) => void;
}
