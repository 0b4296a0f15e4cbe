import { ActiveFault, type Fault, type FaultyAir } from './active-fault.js';
import { begin } from './fault-kinds.js';
import type { FaultSpec } from './fault-spec.js';

/** A number far from those of the faults before and after. */
const SPREAD = 0x85ebca6b;

/** All faults that are in the air, and those that are spent. */
export class Faults {
  private readonly active = new Map<string, ActiveFault>();
  private created = 0;

  constructor(private readonly air: FaultyAir & { readonly settings: { readonly seed: number } }) {}

  /** Its chance is its own, of the air's seed and its number. */
  add(spec: FaultSpec): Fault {
    const number = ++this.created;
    const id = `f${number}`;
    const fault = new ActiveFault(this.air, spec, id, this.air.settings.seed + Math.imul(number, SPREAD));
    begin(fault, spec);
    this.active.set(id, fault);
    return fault.shown;
  }

  list(): readonly Fault[] {
    return [...this.active.values()].map(({ shown }) => shown);
  }

  /** Ends a fault and tells what it did; undefined if there is no such fault. */
  remove(id: string): Fault | undefined {
    const fault = this.active.get(id);
    this.active.delete(id);
    fault?.end();
    return fault?.shown;
  }

  clear(): void {
    for (const id of [...this.active.keys()]) this.remove(id);
    this.created = 0;
  }
}
