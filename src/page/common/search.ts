/** Searches for devices in rounds; the page shows the devices of each round at once. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { UNREACHABLE, type Failure } from './api.js';
import { computedList } from './lists.js';
import { adapter, connection } from './server.js';

const ROUNDS = 5;
export const ROUND_SECS = 1;

export interface Advertiser {
  readonly address: string;
}

interface SearchOptions<D> {
  /** Lets the server listen for `ROUND_SECS`. */
  readonly listen: () => Promise<E.Either<Failure, readonly D[]>>;
  /** The addresses of the devices that are connected. */
  readonly connected: () => readonly string[];
}

/** A search begins by itself whenever the page has connected to a server without devices. */
export const openSearch = <D extends Advertiser>({ listen, connected }: SearchOptions<D>) => {
  const advertised = signal<ReadonlyMap<string, D>>(new Map());
  const progress = signal<number | null>(null);
  const hasLooked = signal(false);
  const failure = signal<Failure | null>(null);

  const look = async (): Promise<void> => {
    if (progress.value !== null) return;
    batch(() => {
      advertised.value = new Map();
      failure.value = null;
    });
    for (let round = 1; round <= ROUNDS && failure.value === null; round++) {
      progress.value = round / ROUNDS;
      const devices = await listen();
      if (E.isLeft(devices)) failure.value = devices.left;
      else
        advertised.value = new Map([
          ...advertised.value,
          ...devices.right.map((device) => [device.address, device] as const),
        ]);
    }
    batch(() => {
      progress.value = null;
      hasLooked.value = failure.value === null;
    });
  };

  /** A search without a person's request: neither a missing permission nor a lost server is an error of it. */
  const lookByItself = async (): Promise<void> => {
    await look();
    if (['forbidden', UNREACHABLE.code].includes(failure.value?.code ?? '')) failure.value = null;
  };

  effect(() => {
    if (connection.value === 'open' && adapter.value === 'poweredOn' && untracked(connected).length === 0)
      detached(untracked(lookByItself));
  });

  const found = computedList(() => {
    const connectedAddresses = connected();
    return [...advertised.value.values()].filter(({ address }) => !connectedAddresses.includes(address));
  });
  const isInVain = computed(() => hasLooked.value && progress.value === null && advertised.value.size === 0);
  return {
    /** The discovered devices that are not connected. */
    found,
    /** The rounds that have begun, as a share; null: no search is under way. */
    progress,
    /** Whether the last search found nothing, until the next. */
    isInVain,
    /** Whether there is no progress, failure or result to show. */
    isIdle: computed(
      () => progress.value === null && failure.value === null && !isInVain.value && found.value.length === 0,
    ),
    failure,
    look,
  };
};

export type Search<D extends Advertiser = Advertiser> = ReturnType<typeof openSearch<D>>;
