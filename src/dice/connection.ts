/** The connection to one die: a link, and after a loss the next one, until it is ended or given up. */
import type { Task } from 'fp-ts/lib/Task.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Address, BleError, Radio } from '../ble/ports.js';
import type { Cancel, Clock } from '../time.js';
import type { Die } from './die.js';
import { keepTrying } from './keep-trying.js';

export interface ConnectionOptions {
  readonly address: Address;
  readonly radio: Radio;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Milliseconds a lost die may take to come back; null never gives it up. */
  readonly reconnectMs: number | null;
  /** Makes a new link and puts the die back into the state it had. */
  readonly reopen: (signal: AbortSignal) => TE.TaskEither<BleError, Die>;
  readonly attached: (die: Die, again: boolean) => void;
  /** Called once for each link that was attached, when it has ended, whoever ended it. */
  readonly detached: () => void;
  /** Called once, when there will be no further link. */
  readonly ended: () => void;
}

export type Phase =
  | { readonly _tag: 'Connected'; readonly die: Die }
  | { readonly _tag: 'Lost'; readonly controller: AbortController; readonly over: Promise<void> }
  | { readonly _tag: 'Ended' };

export interface Connection {
  readonly phase: Phase;
  /** Calls back after every change of `phase`. */
  readonly watch: (listener: () => void) => Cancel;
  /** Ends it at once and resolves when no link is left. */
  readonly end: Task<void>;
}

/** Holds on to a die that was just opened. */
export const holdDie = (first: Die, options: ConnectionOptions): Connection => {
  const { address, radio, clock, random, log, reconnectMs } = options;
  const watchers = new Set<() => void>();
  let phase: Phase = { _tag: 'Ended' };

  const enter = (next: Phase): void => {
    phase = next;
    for (const watcher of watchers) watcher();
  };

  const attach = (die: Die, again: boolean): void => {
    enter({ _tag: 'Connected', die });
    options.attached(die, again);
    die.link.onEnd((why) => {
      if (phase._tag === 'Connected' && phase.die === die) lost(why);
    });
  };

  const lost = (why: BleError): void => {
    log.info({ address, why }, 'a die is lost');
    const controller = new AbortController();
    enter({ _tag: 'Lost', controller, over: reconnect(controller) });
    options.detached();
  };

  const finish = (): void => {
    enter({ _tag: 'Ended' });
    options.ended();
  };

  const reconnect = async (controller: AbortController): Promise<void> => {
    const { signal } = controller;
    const cancel = reconnectMs === null ? undefined : clock.after(reconnectMs, () => controller.abort());
    const attempt = pipe(
      options.reopen(signal),
      TE.mapLeft((why) => (why._tag === 'NotHeard' ? 'absent' : 'refused')),
    );
    const die = await keepTrying(attempt, { radio, clock, random, address, signal })();
    cancel?.();
    if (die !== undefined && !signal.aborted) {
      log.info({ address }, 'a die is back');
      attach(die, true);
      return;
    }
    await die?.link.disconnect();
    if (phase._tag === 'Lost') {
      log.info({ address }, 'a lost die did not come back');
      finish();
    }
  };

  attach(first, false);
  return {
    get phase() {
      return phase;
    },
    watch: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    end: async () => {
      const was = phase;
      if (was._tag === 'Ended') return;
      finish();
      if (was._tag === 'Connected') {
        await was.die.link.disconnect();
        options.detached();
      } else {
        was.controller.abort();
        await was.over;
      }
    },
  };
};
