import type { Cancel, Clock } from '../../src/time.js';
import type { FaultSpec } from './fault-spec.js';
import type { Hook, Hooks, Named, Stage, Stages } from './hooks.js';
import type { AdvertisingPdu } from './pdu.js';
import { seededRng, type Rng } from './rng.js';

/** A fault as it is told of: `hits` is how often it acted. */
export type Fault = FaultSpec & { readonly id: string; readonly hits: number };

/** The air, as faults act on it. */
export interface FaultyAir {
  readonly clock: Clock;
  readonly hooks: Hooks;
  controllersOf(matches: (controller: Named) => boolean): readonly Switchable[];
  /** The links with such a controller at either end. */
  linksOf(matches: (controller: Named) => boolean): readonly { end(reason: number): void }[];
  /** Sends an advertisement of a device that is not in this air to the scanners that match. */
  inject(pdu: AdvertisingPdu, matches: (controller: Named) => boolean): void;
  /** Has all links check whether their ends still reach each other. */
  changed(): void;
}

interface Switchable {
  readonly powered: boolean;
  power(on: boolean, by: object): void;
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
    readonly air: FaultyAir,
    private readonly spec: FaultSpec,
    readonly id: string,
    seed: number,
  ) {
    this.selection = spec;
    this.chance = seededRng(seed);
    if (spec.for_ms !== undefined) this.atEnd(air.clock.after(spec.for_ms, () => this.end()));
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
  }

  private wants(passing: { readonly controller: Named; readonly opcode?: number | undefined }): boolean {
    const { opcode, after = 1, rate = 1 } = this.selection;
    if (opcode !== undefined && passing.opcode !== opcode) return false;
    this.met += 1;
    return this.met % after === 0 && (rate === 1 || this.chance() < rate);
  }
}
