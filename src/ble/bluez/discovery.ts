/** The discovery of devices. BlueZ reports a device once after each start of discovery, since the kernel filters duplicates. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { SerialQueue } from '../../async/tasks.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Call, Outcome } from '../../system/system-bus.js';
import { meaningOf } from './failures.js';
import { ADAPTER } from './objects.js';

/**
 * From a start of discovery to the next, ms: without restarts the kernel reports a device again after 10.24 s. Not a multiple of a
 * second, since a clock sends two payloads by turns, each for a second.
 */
const RESTART_MS = 700;

/**
 * How long discovery pauses for an attempt to connect, ms. The kernel connects at the next report of the device, which comes at once
 * without discovery, else after up to 10 s.
 */
export const PAUSE_MS = 2_000;

/**
 * Without `RSSI`, BlueZ reports only changes of at least 8 dB; with `Transport` alone, newer versions hide devices that do not set the
 * discoverable flag (`merge_discovery_filters` in src/adapter.c).
 */
const FILTER: NonNullable<Call['options']> = {
  ...{ Transport: ['s', 'le'], DuplicateData: ['b', true], RSSI: ['n', -127] },
};

export interface DiscoveryOptions {
  readonly time: TimeSource;
  readonly call: (call: Call) => Promise<Outcome>;
  /** The path of the adapter that has to discover. */
  readonly adapter: () => string | undefined;
  /** Called after each start. */
  readonly started: () => void;
  readonly warn: (message: string) => void;
}

export class Discovery {
  private readonly pauses = new Set<Cancel>();
  /** The adapter that discovers for this program. */
  private running: string | undefined;
  /** Whether it has to start again, to report all devices in range. */
  private isStale = false;
  private cancelRestart: Cancel = () => undefined;
  private readonly queue = new SerialQueue();
  private lastWarning = '';

  constructor(private readonly options: DiscoveryOptions) {}

  /** Reports all devices in range again. */
  restart(): void {
    this.isStale = this.running !== undefined;
    detached(this.update());
  }

  /** Pauses until the returned function is called, at most `PAUSE_MS`; resolves when discovery has stopped. */
  async pause(): Promise<Cancel> {
    const resume = (): void => {
      cancel();
      this.pauses.delete(resume);
      detached(this.update());
    };
    const cancel = this.options.time.after(PAUSE_MS, resume);
    this.pauses.add(resume);
    await this.update();
    return resume;
  }

  /** Takes note that the adapter, BlueZ or the bus has ended discovery. */
  ended(): void {
    this.running = undefined;
    this.cancelRestart();
  }

  /** Starts or stops discovery, after a change of `adapter`; resolves when it is as it should be. */
  update(): Promise<void> {
    return this.queue.run(() => this.startOrStop());
  }

  private async startOrStop(): Promise<void> {
    for (;;) {
      const target = this.pauses.size === 0 ? this.options.adapter() : undefined;
      const { running: path, isStale } = this;
      this.isStale = false;
      if (target === undefined) this.cancelRestart();
      if (path !== undefined && (path !== target || isStale)) {
        this.ended();
        await this.options.call({ path, interface: ADAPTER, member: 'StopDiscovery' });
      } else if (target === undefined || path === target || !(await this.start(target))) return;
    }
  }

  /** False: it failed, and is tried again later. */
  private async start(path: string): Promise<boolean> {
    const { call, time, started, warn } = this.options;
    this.cancelRestart();
    const at = { path, interface: ADAPTER };
    const filtered = await call({ ...at, member: 'SetDiscoveryFilter', options: FILTER });
    const outcome = E.isLeft(filtered) ? filtered : await call({ ...at, member: 'StartDiscovery' });
    this.cancelRestart = time.after(RESTART_MS, () => this.restart());
    if (E.isRight(outcome) || meaningOf(outcome.left) === 'busy') {
      this.running = path;
      started();
      return true;
    }
    const warning = `BlueZ does not discover devices: ${outcome.left.name}: ${outcome.left.text}`;
    if (warning !== this.lastWarning && meaningOf(outcome.left) === undefined) warn(warning);
    this.lastWarning = warning;
    return false;
  }
}
