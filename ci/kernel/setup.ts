import type { RunningAir } from './air.js';
import type { Guest } from './guest.js';
import type { Report } from './report.js';

/** The environment of a scenario. */
export interface Setup {
  readonly guest: Guest;
  readonly air: RunningAir;
  readonly report: Report;
  /** Where the guest's servers are reached. */
  readonly ports: Ports;
  readonly signal: AbortSignal;
}

export interface Ports {
  readonly dice: number;
  readonly clock: number;
  readonly control: number;
}

/** Ports of the servers in the guest. */
export const GUEST_PORTS: Ports = { dice: 3000, clock: 3001, control: 3100 };

/** Where log, trace and the features' results are kept. */
export const REPORTS = 'reports/kernel';
