/** Scans: however many run at once, each packet is worked on once. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { wait, type WaitLimits } from '../wait.js';
import type { Address, Advertisement, BleError, Radio, Unsubscribe } from './ports.js';
import type { SearchError } from './search.js';

/** `A`: what is known of a device. */
export interface Collector<A> {
  /**
   * All devices that are heard within `limits.ms`, in the order of their last packets. Left: the adapter is off or
   * goes off, or it was given up.
   */
  readonly collect: (limits: WaitLimits) => TE.TaskEither<SearchError, readonly A[]>;
}

interface Collected<A> {
  readonly device: A;
  /** The number of its last packet. */
  readonly packet: number;
}

/**
 * `take` makes of an advertisement what is known of its device, `before` being what was known of it while scans ran;
 * undefined if it is not one that is sought.
 */
export const openCollector = <A>(
  radio: Radio,
  take: (advertisement: Advertisement, before: A | undefined) => A | undefined,
): Collector<A> => {
  /** Heard longest ago first. */
  const collected = new Map<Address, Collected<A>>();
  /** The packets heard before each scan that runs, the oldest scan first. */
  const scans = new Set<{ readonly after: number }>();
  let packets = 0;
  let unlisten: Unsubscribe | undefined;

  const hear = (advertisement: Advertisement): void => {
    const { address } = advertisement;
    const device = take(advertisement, collected.get(address)?.device);
    packets += 1;
    collected.delete(address);
    if (device !== undefined) collected.set(address, { device, packet: packets });
  };

  /** What no scan will ask for any more. */
  const forget = (): void => {
    const [oldest] = scans;
    for (const [address, { packet }] of collected) {
      if (oldest !== undefined && packet > oldest.after) return;
      collected.delete(address);
    }
  };

  /** Begins a scan; what it returns ends it, and gives what was heard meanwhile. */
  const begin = (): (() => readonly A[]) => {
    const scan = { after: packets };
    scans.add(scan);
    unlisten ??= radio.listen(hear);
    return () => {
      const heard = [...collected.values()].filter(({ packet }) => packet > scan.after);
      scans.delete(scan);
      forget();
      if (scans.size === 0) {
        unlisten?.();
        unlisten = undefined;
      }
      return heard.map(({ device }) => device);
    };
  };

  return {
    collect: (limits) => async () => {
      const off = (): BleError => ({ _tag: 'AdapterOff', state: radio.state });
      if (radio.state !== 'poweredOn') return E.left(off());
      let heard: readonly A[] = [];
      const end = await wait<BleError>(limits, (settle) => {
        const over = begin();
        const unwatch = radio.onState((state) => {
          if (state !== 'poweredOn') settle(off());
        });
        return () => {
          unwatch();
          heard = over();
        };
      })();
      if (E.isRight(end)) return E.left(end.right);
      return end.left === 'timeout' ? E.right(heard) : E.left(end.left);
    },
  };
};
