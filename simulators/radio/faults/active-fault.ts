import type { Cancel, TimeSource } from '../../../src/async/time.js';
import type { FaultSpec } from './fault-spec.js';
import type { FaultyProxy } from './faulty-proxy.js';
import type { Hook, Hooks, Named, Stage, Stages } from '../medium/hooks.js';
import type { AdvertisingPdu } from '../medium/pdu.js';
import { seededRng, type Rng } from '../medium/rng.js';

/** A fault as reported; `hits`: the number of its actions. */
export type Fault = FaultSpec & { readonly id: string; readonly hits: number };

/** The air, as faults act on it. */
export interface FaultyAir {
  readonly time: TimeSource;
  readonly hooks: Hooks;
  controllersOf(
    matches: (controller: Named) => boolean,
  ): readonly { readonly powered: boolean; power(on: boolean, by: object): void }[];
  proxiesOf(matches: (proxy: Named) => boolean): readonly FaultyProxy[];
  /** The links with a matching controller at either end. */
  linksOf(matches: (controller: Named) => boolean): readonly { end(reason: number): void }[];
  /** Sends an advertisement of a device outside this air to the scanners that match. */
  inject(pdu: AdvertisingPdu, matches: (controller: Named) => boolean): void;
  /** Checks for each link whether its ends still reach each other. */
  changed(): void;
}

/** The end at which the fault's device must be. */
type Side = 'own' | 'peer' | 'either';

/** The packets that a fault acts on, and how often. */
interface Selection {
  readonly device: string;
  readonly times?: number;
  readonly after?: number;
  readonly rate?: number;
  readonly opcode?: number;
}

/** A fault in effect, until it is spent or removed. At its end it undoes its changes. */
export class ActiveFault {
  readonly chance: Rng;
  private hits = 0;
  /** How many packets matched its device and opcode. */
  private matched = 0;
  private ended = false;
  private readonly undo: Cancel[] = [];

  constructor(
    readonly air: FaultyAir,
    private readonly spec: FaultSpec & Selection,
    readonly id: string,
    seed: number,
  ) {
    this.chance = seededRng(seed);
    if (spec.for_ms !== undefined) this.atEnd(air.time.after(spec.for_ms, () => this.end()));
  }

  get report(): Fault {
    return { ...this.spec, id: this.id, hits: this.hits };
  }

  /** Whether the fault concerns this controller. */
  readonly matches = ({ address, name }: Named): boolean => {
    const { device } = this.spec;
    return device === 'all' || device === address || device === name;
  };

  /** Acts at a stage on the packets of its selection, and counts its actions. */
  on<S extends Stage>(stage: S, hook: Hook<S>, side?: Side): void {
    this.addHook(stage, (passing) => (this.wants(passing) && this.acts() ? hook(passing) : undefined), side);
  }

  /** Adds a hook for all packets of its device at a stage, without counting. */
  addHook<S extends Stage>(stage: S, hook: Hook<S>, side: Side = 'own'): void {
    const isAbout = (passing: Stages[S]): boolean =>
      (side !== 'peer' && this.matches(passing.controller)) ||
      (side !== 'own' && 'peer' in passing && this.matches(passing.peer));
    this.atEnd(this.air.hooks.add(stage, (passing) => (isAbout(passing) ? hook(passing) : undefined)));
  }

  /** Counts one action; false if the fault is spent. */
  acts(): boolean {
    if (this.ended) return false;
    this.hits += 1;
    if (this.hits === this.spec.times) this.end();
    return true;
  }

  /** Runs `task` every `ms` milliseconds until the end. */
  every(ms: number, task: () => void): void {
    const next = (): Cancel =>
      this.air.time.after(ms, () => {
        cancel = next();
        task();
      });
    let cancel = next();
    this.atEnd(() => cancel());
  }

  atEnd(task: () => void): void {
    if (this.ended) task();
    else this.undo.push(task);
  }

  /** Undoes all its changes. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const task of this.undo.splice(0)) task();
  }

  private wants(passing: { readonly controller: Named; readonly opcode?: number | undefined }): boolean {
    const { opcode, after = 1, rate = 1 } = this.spec;
    if (opcode !== undefined && passing.opcode !== opcode) return false;
    this.matched += 1;
    return this.matched % after === 0 && (rate === 1 || this.chance() < rate);
  }
}
