import type { Address } from '../ble/ports.js';
import type { ServerConfig } from '../server/device-server.js';

/** Time limits, milliseconds. */
export interface ClockLimits {
  /** How long a search for a clock without an advertisement lasts, and how long `connect` waits for a lost clock. */
  readonly find: number;
  /** How long a clock may take to answer a command. */
  readonly answer: number;
  /** How long a request for the sensors waits for the first reading of a link. */
  readonly reading: number;
  /** How long a lost clock may take to come back; null: for ever. */
  readonly reconnect: number | null;
  /** How long a link may go without a command before it is ended; null: never. */
  readonly idle: number | null;
}

export interface ClockConfig extends ServerConfig<ClockLimits, Address> {
  /** The folder of the tokens. */
  readonly dataFolder: string;
}

export const DEFAULT_LIMITS: ClockLimits = {
  find: 10_000,
  answer: 10_000,
  reading: 5_000,
  reconnect: null,
  idle: null,
};
