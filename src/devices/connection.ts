import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Cancel, TimeSource } from '../async/time.js';
import { wait, type Unmet, type WaitLimits } from '../async/wait.js';
import type { DeviceError } from './device-error.js';
import type { Address, BleError, Link, Radio, Unsubscribe } from '../ble/ports.js';
import { repeatedOn } from './repeated.js';
import { retry } from './retry.js';

/** A device that is linked and ready for use. */
export interface Linked {
  readonly link: Link;
}

export interface ConnectionOptions<D extends Linked> {
  readonly address: Address;
  readonly radio: Radio;
  readonly time: TimeSource;
  readonly random: () => number;
  readonly log: Logger;
  /** How long a lost device may take to come back, ms; null: for ever. */
  readonly reconnectMs: () => number | null;
  /** Makes a new link and restores the state of the device. */
  readonly reconnect: (signal: AbortSignal) => TE.TaskEither<DeviceError, D>;
  readonly onConnected: (device: D, again: boolean) => void;
  /** Called when a link of `onConnected` has ended for any reason. */
  readonly onDisconnected: () => void;
  /** How often the signal of a link is read, ms; never if left out. */
  readonly signalMs?: number | undefined;
  /** dBm; null: the adapter does not know it. */
  readonly onSignal?: (rssi: number | null) => void;
  /** Called once, when the device is given up. */
  readonly onSessionEnded: () => void;
}

export type Phase<D extends Linked> =
  | { readonly _tag: 'Connected'; readonly device: D }
  | { readonly _tag: 'Lost'; readonly controller: AbortController; readonly over: Promise<void> }
  | { readonly _tag: 'Ended' };

interface Limit {
  readonly at: Date;
  readonly cancel: Cancel;
}

/** Keeps a device connected. */
export class Connection<D extends Linked> {
  private readonly watchers = new Set<() => void>();
  private current: Phase<D> = { _tag: 'Ended' };
  private limit: Limit | undefined;

  constructor(private readonly options: ConnectionOptions<D>) {}

  get phase(): Phase<D> {
    return this.current;
  }

  /** When the device is given up unless it comes back; null: it is not lost, or its loss has no limit. */
  get lostUntil(): Date | null {
    return this.limit?.at ?? null;
  }

  /** Begins with an opened device; may be called once. */
  start(device: D): void {
    this.attach(device, false);
  }

  /** Calls `look` now and whenever watchers are called, until it returns a value. */
  until<A>(look: () => A | undefined, limits: WaitLimits): TE.TaskEither<Unmet, A> {
    return wait<A>(limits, (settle) => {
      const watcher = (): void => {
        const value = look();
        if (value !== undefined) settle(value);
      };
      const unwatch = this.watch(watcher);
      watcher();
      return unwatch;
    });
  }

  /** Calls back after every change of `phase`, and at `lookAgain`. */
  watch(watcher: () => void): Unsubscribe {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Calls all watchers: a value that `until` waits for may have changed. */
  lookAgain(): void {
    for (const watcher of this.watchers) watcher();
  }

  /** Resolves to true when there is a link, to false when the device is given up. */
  whenSettled(limits: WaitLimits): TE.TaskEither<Unmet, boolean> {
    return this.until(() => {
      const { phase } = this;
      if (phase._tag === 'Ended') return false;
      // A link that ended before the device was attached is lost at once.
      return phase._tag === 'Connected' && phase.device.link.ended === undefined ? true : undefined;
    }, limits);
  }

  /** Limits a loss by `reconnectMs`, from now on; must be called when that has changed. */
  limitLoss(): void {
    const { phase } = this;
    if (phase._tag !== 'Lost') return;
    this.endLimit();
    const { reconnectMs, time } = this.options;
    const ms = reconnectMs();
    if (ms !== null)
      this.limit = {
        at: new Date(time.date().getTime() + ms),
        cancel: time.after(ms, () => phase.controller.abort()),
      };
  }

  /** Ends the connection; resolves when the link has ended. */
  async end(): Promise<void> {
    const { phase } = this;
    if (phase._tag === 'Ended') return;
    this.finish();
    if (phase._tag === 'Connected') {
      await phase.device.link.disconnect().finally(this.options.onDisconnected);
    } else {
      phase.controller.abort();
      await phase.over;
    }
  }

  private endLimit(): void {
    this.limit?.cancel();
    this.limit = undefined;
  }

  private enter(next: Phase<D>): void {
    this.current = next;
    this.lookAgain();
  }

  private attach(device: D, again: boolean): void {
    const { signalMs, onConnected } = this.options;
    this.enter({ _tag: 'Connected', device });
    onConnected(device, again);
    if (signalMs !== undefined) this.followSignal(device.link, signalMs);
    device.link.onEnd((reason) => {
      const { phase } = this;
      if (phase._tag === 'Connected' && phase.device === device) this.lost(reason);
    });
  }

  /**
   * Reads the signal of a link until the link ends. The adapter answers from the last packet (HCI_Read_RSSI, Core 5.4
   * Vol 4 Part E 7.5.4): nothing is sent to the device.
   */
  private followSignal(link: Link, everyMs: number): void {
    const { time, onSignal = () => undefined } = this.options;
    const read = pipe(
      () => link.rssi(),
      TE.map((rssi) => {
        if (link.ended === undefined) onSignal(rssi);
      }),
    );
    repeatedOn(link, { time, everyMs }, read);
  }

  private lost(reason: BleError): void {
    const { address, log, onDisconnected } = this.options;
    log.info({ address, cause: reason }, 'a device is lost');
    const controller = new AbortController();
    this.enter({ _tag: 'Lost', controller, over: this.reconnect(controller) });
    this.limitLoss();
    onDisconnected();
  }

  private async reconnect(controller: AbortController): Promise<void> {
    const { address, log } = this.options;
    const { signal } = controller;
    const device = await retry(this.options.reconnect(signal), { ...this.options, signal })();
    this.endLimit();
    if (device !== undefined && !signal.aborted) {
      log.info({ address }, 'a device is back');
      this.attach(device, true);
      return;
    }
    await device?.link.disconnect();
    if (this.phase._tag === 'Lost') {
      log.info({ address }, 'a lost device did not come back');
      this.finish();
    }
  }

  private finish(): void {
    this.enter({ _tag: 'Ended' });
    this.options.onSessionEnded();
  }
}
