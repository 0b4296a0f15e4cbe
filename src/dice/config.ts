import type { ServerConfig } from '../server/device-server.js';
import type { ConnectRequest } from './contract.js';
import type { SimulatorAddress } from './simulator.js';

/** Time limits, milliseconds. */
export interface DiceLimits {
  /** The default duration of a scan, and of a search for a die without an advertisement. */
  readonly scan: number;
  /** How long a lost die may take to come back before its session ends. */
  readonly reconnect: number;
  /** How long a die may take to answer a request. */
  readonly answer: number;
  /** How long `calibrate` waits for a die to lie still. */
  readonly calibrate: number;
}

export interface DiceConfig extends ServerConfig<DiceLimits, ConnectRequest> {
  /** The control API of the simulation whose dice the server serves; undefined: the dice are real. */
  readonly simulator?: SimulatorAddress | undefined;
}

export const DEFAULT_LIMITS: DiceLimits = {
  scan: 5_000,
  reconnect: 60_000,
  answer: 5_000,
  calibrate: 10_000,
};
