import { factsOf, perKind, type Kind } from '../../src/contract/kinds.js';
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

/** The server of each kind, and the control API. */
export type Ports = Readonly<Record<Kind | 'control', number>>;

/** Ports of the servers in the guest. */
export const GUEST_PORTS: Ports = { ...perKind((kind) => factsOf(kind).rigPort), control: 3100 };

/** Where log, trace and the features' results are kept. */
export const REPORTS = 'reports/kernel';
