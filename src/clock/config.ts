import type { Address } from '../ble/ports.js';
import type { ServerConfig } from '../server/device-server.js';

/** Milliseconds. */
export interface ClockLimits {
  /** How long to search for a clock that has not advertised yet, and how long connect waits for a lost one. */
  readonly find: number;
  /** How long a clock may take to answer a command. */
  readonly answer: number;
  /** How long a request for the sensors waits for the first reading of a link. */
  readonly reading: number;
  /** How long a lost clock may take to come back; null never gives it up. */
  readonly reconnect: number | null;
  /** How long a link may go without a command before it is ended; null: never. */
  readonly idle: number | null;
}

export interface ClockConfig extends ServerConfig<ClockLimits, Address> {
  /** Where the tokens are kept. */
  readonly dataFolder: string;
}

export const DEFAULT_LIMITS: ClockLimits = {
  find: 10_000,
  answer: 10_000,
  reading: 5_000,
  reconnect: null,
  idle: null,
};
