/** The discovery of devices: BlueZ reports each device about once until discovery starts again, since the kernel filters duplicates. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Call, Outcome } from './bus.js';
import { meaningOf } from './failures.js';
import { ADAPTER } from './objects.js';

/** From a start of discovery to the next, ms: without restarts the kernel reports a device again after 10.24 s. */
const RESTART_MS = 2_000;

/**
 * How long discovery pauses for an attempt to connect, ms. The kernel connects at the next report of the device, which comes at once
 * without discovery, else after up to 10 s.
 */
export const PAUSE_MS = 2_000;

/**
 * Without `RSSI`, BlueZ reports changes of at least 8 dB alone; with `Transport` alone, versions since 5.56 hide devices that do not set
 * the discoverable flag (`merge_discovery_filters` in src/adapter.c).
 */
const FILTER: NonNullable<Call['options']> = { Transport: ['s', 'le'], DuplicateData: ['b', true], RSSI: ['n', -127] };

export interface DiscoveryOptions {
  readonly time: TimeSource;
  readonly call: (call: Call) => Promise<Outcome>;
  /** The path of the adapter while it is on. */
  readonly adapter: () => string | undefined;
  /** Called after each start. */
  readonly started: () => void;
  readonly warn: (message: string) => void;
}

export class Discovery {
  private isWanted = false;
  private readonly pauses = new Set<symbol>();
  /** The adapter that discovers for this program. */
  private running: string | undefined;
  /** Undefined while nothing is started or stopped. */
  private converging: Promise<void> | undefined;
  private isStale = false;
  private cancelRestart: Cancel = () => undefined;
  private lastProblem = '';

  constructor(private readonly options: DiscoveryOptions) {}

  enable(isWanted: boolean): void {
    this.isWanted = isWanted;
    this.update();
  }

  /** Reports all devices in range again. */
  restart(): void {
    this.isStale = true;
    this.update();
  }

  /** Pauses discovery until the returned function is called, at most `PAUSE_MS`; resolves when it is stopped. */
  async pause(): Promise<Cancel> {
    const pause = Symbol('pause');
    this.pauses.add(pause);
    const cancel = this.options.time.after(PAUSE_MS, () => resume());
    const resume = (): void => {
      cancel();
      this.pauses.delete(pause);
      this.update();
    };
    await this.settle();
    return resume;
  }

  /** Takes note that the adapter, BlueZ or the bus has ended discovery. */
  ended(): void {
    this.running = undefined;
    this.cancelRestart();
  }

  close(): Promise<void> {
    this.isWanted = false;
    return this.settle();
  }

  private update(): void {
    detached(this.settle());
  }

  /** Starts or stops discovery until it is as it should be. */
  private settle(): Promise<void> {
    this.converging ??= this.converge().finally(() => (this.converging = undefined));
    return this.converging;
  }

  private async converge(): Promise<void> {
    for (;;) {
      const adapter = this.options.adapter();
      const target = this.isWanted && this.pauses.size === 0 ? adapter : undefined;
      if (this.running !== undefined && (this.running !== target || this.isStale)) {
        this.isStale = false;
        const path = this.running;
        this.running = undefined;
        this.cancelRestart();
        await this.options.call({ path, interface: ADAPTER, member: 'StopDiscovery' });
      } else if (target === undefined || this.running === target) {
        this.isStale = false;
        return;
      } else if (!(await this.start(target))) return;
    }
  }

  /** False: it failed, and is tried again later. */
  private async start(path: string): Promise<boolean> {
    const { call, time, warn } = this.options;
    this.cancelRestart();
    const filtered = await call({ path, interface: ADAPTER, member: 'SetDiscoveryFilter', options: FILTER });
    const started = E.isLeft(filtered)
      ? filtered
      : await call({ path, interface: ADAPTER, member: 'StartDiscovery' });
    this.cancelRestart = time.after(RESTART_MS, () => this.restart());
    if (E.isRight(started) || meaningOf(started.left) === 'busy') {
      this.running = path;
      this.lastProblem = '';
      this.options.started();
      return true;
    }
    const { name, text } = started.left;
    const problem = `BlueZ does not discover devices: ${name}: ${text}`;
    if (problem !== this.lastProblem && meaningOf(started.left) === undefined) warn(problem);
    this.lastProblem = problem;
    return false;
  }
}
