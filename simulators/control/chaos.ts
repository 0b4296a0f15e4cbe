import * as E from 'fp-ts/lib/Either.js';
import type { Cancel } from '../../src/async/time.js';
import type { Air, Fault, FaultSpec, FaultType } from '../radio/index.js';
import type { ChaosReport } from './contract.js';
import { schedule, type ChaosPlan, type Occurrence } from './chaos-plan.js';

interface Count {
  scheduled: number;
  injected: number;
  /** Its device was not there. */
  missed: number;
  /** The actions of the faults that have ended. */
  hits: number;
}

/** A plan on its way. */
interface Run {
  readonly plan: ChaosPlan;
  readonly occurrences: readonly Occurrence[];
  readonly startedAt: number;
  readonly counts: Map<FaultType, Count>;
  /** Faults that are in the air, by id. */
  readonly active: Map<string, { readonly type: FaultType; readonly forget: Cancel }>;
  next: number;
  cancel: Cancel | undefined;
}

export interface ChaosTarget {
  readonly air: Pick<Air, 'time' | 'faults'>;
  list(): readonly { readonly address: string }[];
  /** Left: there is no such device or adapter. */
  addFault(fault: FaultSpec): E.Either<unknown, Fault>;
}

/** Injects the faults of a plan when their time has come, and counts them. */
export class Chaos {
  private run: Run | undefined;
  private planAtStart: ChaosPlan | undefined;

  constructor(private readonly target: ChaosTarget) {}

  /** Starts a plan, and ends a running one; `always` if it belongs to the world and begins again with each reset. */
  start(plan: ChaosPlan, always = false): void {
    this.stop();
    if (always) this.planAtStart = plan;
    const { time } = this.target.air;
    const occurrences = schedule(
      plan,
      this.target.list().map(({ address }) => address),
    );
    const run: Run = {
      plan,
      occurrences,
      startedAt: time.now(),
      counts: new Map(),
      active: new Map(),
      next: 0,
      cancel: undefined,
    };
    for (const { fault } of plan.faults) countOf(run, fault.type);
    for (const { fault } of occurrences) countOf(run, fault.type).scheduled += 1;
    this.run = run;
    this.arrange(run);
  }

  /** Ends the plan and its faults. Returns its actions so far; undefined without a plan. */
  stop(): ChaosReport | undefined {
    const { run } = this;
    run?.cancel?.();
    for (const id of [...(run?.active.keys() ?? [])]) this.forget(run, id);
    const { report } = this;
    this.run = undefined;
    return report && { ...report, running: false };
  }

  /** Restarts the world's initial plan, if it has one. */
  reset(): void {
    this.stop();
    if (this.planAtStart !== undefined) this.start(this.planAtStart);
  }

  /** The actions so far; undefined without a plan. */
  get report(): ChaosReport | undefined {
    const { run } = this;
    if (run === undefined) return undefined;
    const { plan, counts, startedAt } = run;
    const elapsed = Math.floor(this.target.air.time.now() - startedAt);
    const inTheAir = this.target.air.faults.list().filter(({ id }) => run.active.has(id));
    const hitsOf = (type: FaultType): number =>
      inTheAir.reduce((sum, fault) => sum + (fault.type === type ? fault.hits : 0), 0);
    return {
      seed: plan.seed,
      duration_secs: plan.durationSecs,
      elapsed_ms: elapsed,
      running: elapsed < plan.durationSecs * 1000,
      faults: Object.fromEntries(
        [...counts].map(([type, count]) => [type, { ...count, hits: count.hits + hitsOf(type) }]),
      ),
    };
  }

  /** All faults of the plan with their times; undefined without a plan. */
  get schedule(): readonly (FaultSpec & { readonly at_ms: number })[] | undefined {
    return this.run?.occurrences.map(({ atMs, fault }) => ({ at_ms: atMs, ...fault }));
  }

  private arrange(run: Run): void {
    const { time } = this.target.air;
    const due = run.occurrences[run.next];
    if (due === undefined) return;
    run.cancel = time.after(Math.max(0, run.startedAt + due.atMs - time.now()), () => {
      this.inject(run, due);
      run.next += 1;
      this.arrange(run);
    });
  }

  private inject(run: Run, { fault }: Occurrence): void {
    const count = countOf(run, fault.type);
    const added = this.target.addFault(fault);
    if (E.isLeft(added)) {
      count.missed += 1;
      return;
    }
    const { id } = added.right;
    count.injected += 1;
    const forget = this.target.air.time.after(fault.for_ms ?? 0, () => this.forget(run, id));
    run.active.set(id, { type: fault.type, forget });
  }

  private forget(run: Run | undefined, id: string): void {
    const entry = run?.active.get(id);
    if (run === undefined || entry === undefined) return;
    entry.forget();
    run.active.delete(id);
    countOf(run, entry.type).hits += this.target.air.faults.remove(id)?.hits ?? 0;
  }
}

const countOf = ({ counts }: Run, type: FaultType): Count => {
  const count = counts.get(type) ?? { scheduled: 0, injected: 0, missed: 0, hits: 0 };
  counts.set(type, count);
  return count;
};
