import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Cancel, TimeSource } from '../async/time.js';
import { wait, type Unmet, type WaitLimits } from '../async/wait.js';
import type { DeviceError } from './device-error.js';
import type { Address, BleError, Link, Radio } from '../ble/ports.js';
import { retry } from './retry.js';
import { followSignal } from './signal.js';

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
  readonly reconnectMs: number | null;
  /** Makes a new link and puts the device back into the state it had. */
  readonly reconnect: (signal: AbortSignal) => TE.TaskEither<DeviceError, D>;
  readonly onConnected: (device: D, again: boolean) => void;
  /** Called once for each link that `onConnected` was called for, when it has ended for any reason. */
  readonly onDisconnected: () => void;
  /** How often the signal of a link is read, ms; never if left out. */
  readonly signalMs?: number | undefined;
  /** dBm; null: the adapter does not know it. */
  readonly onSignal?: (rssi: number | null) => void;
  /** Called once, when there will be no further link. */
  readonly onSessionEnded: () => void;
  /** Called once, when there is no link any more and will be none. */
  readonly onLinkReleased: () => void;
}

export type Phase<D extends Linked> =
  | { readonly _tag: 'Connected'; readonly device: D }
  | { readonly _tag: 'Lost'; readonly controller: AbortController; readonly over: Promise<void> }
  | { readonly _tag: 'Ended' };

/** Keeps a device connected that was just opened. */
export const maintainConnection = <D extends Linked>(first: D, options: ConnectionOptions<D>) => {
  const { address, radio, time, random, log, reconnectMs, signalMs, onSignal = () => undefined } = options;
  const watchers = new Set<() => void>();
  let phase: Phase<D> = { _tag: 'Ended' };

  const watch = (listener: () => void): Cancel => {
    watchers.add(listener);
    return () => watchers.delete(listener);
  };

  const enter = (next: Phase<D>): void => {
    phase = next;
    for (const watcher of watchers) watcher();
  };

  const attach = (device: D, again: boolean): void => {
    enter({ _tag: 'Connected', device });
    options.onConnected(device, again);
    if (signalMs !== undefined) followSignal(device.link, { time, everyMs: signalMs, report: onSignal });
    device.link.onEnd((reason) => {
      if (phase._tag === 'Connected' && phase.device === device) lost(reason);
    });
  };

  const lost = (reason: BleError): void => {
    log.info({ address, cause: reason }, 'a device is lost');
    const controller = new AbortController();
    enter({ _tag: 'Lost', controller, over: reconnect(controller) });
    options.onDisconnected();
  };

  const finish = (): void => {
    enter({ _tag: 'Ended' });
    options.onSessionEnded();
  };

  const reconnect = async (controller: AbortController): Promise<void> => {
    const { signal } = controller;
    const cancel = reconnectMs === null ? undefined : time.after(reconnectMs, () => controller.abort());
    const device = await retry(options.reconnect(signal), { radio, time, random, log, address, signal })();
    cancel?.();
    if (device !== undefined && !signal.aborted) {
      log.info({ address }, 'a device is back');
      attach(device, true);
      return;
    }
    await device?.link.disconnect();
    if (phase._tag === 'Lost') {
      log.info({ address }, 'a lost device did not come back');
      finish();
      options.onLinkReleased();
    }
  };

  attach(first, false);
  return {
    get phase(): Phase<D> {
      return phase;
    },
    /** Calls back after every change of `phase`. */
    watch,
    /** Resolves when there is a link, or will be none any more; to whether there is one. */
    whenSettled: (limits: WaitLimits): TE.TaskEither<Unmet, boolean> =>
      wait<boolean>(limits, (settle) => {
        const look = (): void => {
          if (phase._tag === 'Ended') settle(false);
          // A link may have ended before the device was attached: it is lost at once.
          if (phase._tag === 'Connected' && phase.device.link.ended === undefined) settle(true);
        };
        look();
        return watch(look);
      }),
    /** Ends it at once and resolves when no link is left. */
    end: async () => {
      const was = phase;
      if (was._tag === 'Ended') return;
      finish();
      if (was._tag === 'Connected') {
        await was.device.link.disconnect();
        options.onDisconnected();
      } else {
        was.controller.abort();
        await was.over;
      }
      options.onLinkReleased();
    },
  };
};

export type Connection<D extends Linked> = ReturnType<typeof maintainConnection<D>>;
