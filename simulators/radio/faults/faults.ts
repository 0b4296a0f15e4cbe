import { ActiveFault, type Fault, type FaultyAir } from './active-fault.js';
import { begin } from './fault-kinds.js';
import type { FaultSpec } from './fault-spec.js';

/** Spreads the numbers of faults, so that neighbours have different seeds. */
const SPREAD = 0x85ebca6b;

/** All faults, including spent ones until they are removed. */
export class Faults {
  private readonly active = new Map<string, ActiveFault>();
  private created = 0;

  constructor(private readonly air: FaultyAir & { readonly settings: { readonly seed: number } }) {}

  /** Starts a fault. Its random numbers depend on the seed of the air and its own number alone. */
  add(spec: FaultSpec): Fault {
    const number = ++this.created;
    const id = `f${number}`;
    const fault = new ActiveFault(this.air, spec, id, this.air.settings.seed + Math.imul(number, SPREAD));
    begin(fault, spec);
    this.active.set(id, fault);
    return fault.report;
  }

  list(): readonly Fault[] {
    return [...this.active.values()].map(({ report }) => report);
  }

  /** Ends a fault and returns its report; undefined if it does not exist. */
  remove(id: string): Fault | undefined {
    const fault = this.active.get(id);
    this.active.delete(id);
    fault?.end();
    return fault?.report;
  }

  clear(): void {
    for (const id of [...this.active.keys()]) this.remove(id);
    this.created = 0;
  }
}
