import type { Cancel } from '../../src/time.js';
import type { Air } from './air.js';
import { begin } from './fault-kinds.js';
import type { FaultSpec } from './fault-spec.js';
import type { Hook, Stage, Stages } from './hooks.js';
import { seededRng, type Rng } from './rng.js';

/** A fault as it is told of: `hits` is how often it acted. */
export type Fault = FaultSpec & { readonly id: string; readonly hits: number };

/** What a controller is called. */
export interface Named {
  readonly address: string;
  readonly name: string;
}

/** Which end of a meeting must be the fault's device. */
type Side = 'own' | 'peer' | 'either';

/** Which of those that it meets a fault acts on, and how often. */
interface Selection {
  readonly device: string;
  readonly times?: number;
  readonly after?: number;
  readonly rate?: number;
  readonly opcode?: number;
}

/** A fault that was put in, with all that it has put in itself, until it is spent or taken away. */
export class ActiveFault {
  readonly chance: Rng;
  private hits = 0;
  /** Those that it might have acted on. */
  private met = 0;
  private over = false;
  private readonly undo: Cancel[] = [];
  private readonly selection: Selection;

  constructor(
    readonly air: Air,
    private readonly spec: FaultSpec,
    readonly id: string,
    seed: number,
  ) {
    this.selection = spec;
    this.chance = seededRng(seed);
    if (spec.for_ms !== undefined) this.atEnd(air.clock.after(spec.for_ms, () => this.end()));
    begin(this, spec);
  }

  get shown(): Fault {
    return { ...this.spec, id: this.id, hits: this.hits };
  }

  /** Whether it is about a controller. */
  readonly concerns = ({ address, name }: Named): boolean => {
    const { device } = this.spec;
    return device === 'all' || device === address || device === name;
  };

  /** Acts at a stage on those that it is about: its opcode, each so many of them, with its chance. */
  on<S extends Stage>(stage: S, hook: Hook<S>, side?: Side): void {
    this.place(stage, (passing) => (this.wants(passing) && this.acts() ? hook(passing) : undefined), side);
  }

  /** Acts at a stage whenever its device is met there, without counting. */
  place<S extends Stage>(stage: S, hook: Hook<S>, side: Side = 'own'): void {
    const isAbout = (passing: Stages[S]): boolean =>
      (side !== 'peer' && this.concerns(passing.controller)) ||
      (side !== 'own' && 'peer' in passing && this.concerns(passing.peer));
    this.atEnd(this.air.hooks.add(stage, (passing) => (isAbout(passing) ? hook(passing) : undefined)));
  }

  /** Counts that it acts now; false if it is spent. */
  acts(): boolean {
    if (this.over) return false;
    this.hits += 1;
    if (this.hits === this.selection.times) this.end();
    return true;
  }

  /** Does something again and again. */
  every(ms: number, task: () => void): void {
    const next = (): Cancel =>
      this.air.clock.after(ms, () => {
        cancel = next();
        task();
      });
    let cancel = next();
    this.atEnd(() => cancel());
  }

  atEnd(task: () => void): void {
    if (this.over) task();
    else this.undo.push(task);
  }

  /** Takes back all that it has put in. */
  end(): void {
    if (this.over) return;
    this.over = true;
    for (const task of this.undo.splice(0)) task();
    this.air.changed();
  }

  private wants(passing: { readonly controller: Named; readonly opcode?: number | undefined }): boolean {
    const { opcode, after = 1, rate = 1 } = this.selection;
    if (opcode !== undefined && passing.opcode !== opcode) return false;
    this.met += 1;
    return this.met % after === 0 && (rate === 1 || this.chance() < rate);
  }
}

/** A number far from those of the faults before and after. */
const SPREAD = 0x85ebca6b;

/** All faults that are in the air, and those that are spent. */
export class Faults {
  private readonly active = new Map<string, ActiveFault>();
  private created = 0;

  constructor(private readonly air: Air) {}

  /** Its chance is its own, of the air's seed and its number. */
  add(spec: FaultSpec): Fault {
    const number = ++this.created;
    const id = `f${number}`;
    const fault = new ActiveFault(this.air, spec, id, this.air.settings.seed + Math.imul(number, SPREAD));
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
