import type { Either } from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { ServerError } from '../src/http/index.js';
import type { HciSocket } from '../src/ble/hci/socket.js';
import type { Clock } from '../src/time.js';

/** One simulated device, whatever its kind. */
export interface Device {
  readonly name: string;
  readonly connected: boolean;
  /** Whether it is on the air now; a connected device is not. */
  readonly advertising: boolean;
  /** Everything else there is to know of it. */
  readonly model: JsonRecord;
  /** Does to the device what a hand or the room around it would do. Left: a sentence about what the client wrote. */
  act(action: unknown): Either<ServerError, void>;
  /** Sets how it misbehaves, whole; what is left out is as usual. Left: a sentence about what the client wrote. */
  setTemper(temper: unknown): Either<ServerError, void>;
  /** Releases timers and socket. */
  close(): void;
}

/** What a device needs of the world. */
export interface Surroundings {
  /** Upper case, colon-separated. */
  readonly address: string;
  /** The device's controller. */
  readonly socket: HciSocket;
  /** The time it lives by. */
  readonly clock: Clock;
  /** Chance, in [0, 1). */
  readonly rng: () => number;
  /** Whether anybody could hear an advertisement now. */
  readonly listened: () => boolean;
  /** Anything that the device shows is another. */
  readonly changed: () => void;
  /** Something passed that no state shows; the event is asked for only if somebody listens. */
  readonly happened: (event: () => JsonRecord) => void;
}

export type MakeDevice = (surroundings: Surroundings) => Promise<Device>;

/** A kind of device that the world can hold. */
export interface DeviceKind {
  /** The first half of its devices' usual addresses: `D1:CE:00`. */
  readonly addressPrefix: string;
  readonly addressType: 'public' | 'random';
  /** Reads a start state, every field optional. Left: a sentence about what the client wrote. */
  readonly prepare: (start: unknown) => Either<ServerError, MakeDevice>;
}
