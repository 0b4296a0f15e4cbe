/** The rolls that the server keeps, by evening, by day, or all. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { detached } from '../../async/defects.js';
import { endpoints, RollPage, type Roll as KeptRoll } from '../../dice/contract.js';
import { call, requestOf, send, UNREACHABLE, type Failure, type Outcome } from '../common/api.js';
import { save } from '../common/browser.js';
import { keptSignal } from '../common/kept.js';
import { connection } from '../common/server.js';
import { periodOf, type Grouping } from './periods.js';
import type { Roll } from './pool.js';
import { addRolls, rolls, store } from './state.js';

export const grouping = keptSignal(
  'rolls shown',
  t.keyof({ evening: null, day: null, all: null }),
  'evening',
);

/** The ends of the shown period and of the later ones that were left for it, the latest first; empty: it goes on. */
const ends = signal<readonly Date[]>([]);

/** Whether the rolls of the server can be read. */
export const isKept = computed(() => connection.value === 'open' && store.value?.state === 'ok');

/** The rolls of an earlier period, the oldest first. */
const earlier = signal<readonly Roll[]>([]);
/** Whether there are rolls before the shown period. */
export const hasEarlier = signal(false);
/** Whether there are rolls after the shown period. */
export const hasLater = computed(() => ends.value.length > 0);

/** The rolls of the shown period, the oldest first; without a store, all rolls that the page has. */
export const shown = computed(() => {
  if (store.value?.state !== 'ok') return rolls.value;
  return hasLater.value ? earlier.value : periodOf(grouping.value, rolls.value);
});

interface Span {
  readonly from?: Date;
  readonly to?: Date;
}

/** The query for the shown period: all rolls without `from`, also later ones without `to`. */
export const span = computed((): Span => {
  const [first] = shown.value;
  const to = ends.value.at(-1);
  return {
    ...(grouping.value !== 'all' && first !== undefined && { from: new Date(first.time) }),
    ...(to !== undefined && { to }),
  };
});

const ON_PAGE = 1_000;
const MOST_PAGES = 5;

const rollsOf = (page: readonly KeptRoll[]): readonly Roll[] =>
  page
    .filter(({ ended }) => ended === 'Stable' || ended === 'TiltStable')
    .map(({ address, dice_type: type, face, time }) => ({ address, type, face, time }))
    .reverse();

const pages = { ...endpoints.rolls, response: RollPage };

interface ReadBack {
  /** The oldest first. */
  readonly found: readonly Roll[];
  /** Whether the server has rolls before them. */
  readonly isMore: boolean;
}

/** Reads back to the beginning of the period that ends at `to`, but `MOST_PAGES` at most: its rolls and some before. */
const readBack = async (by: Grouping, to: Date | undefined): Promise<E.Either<Failure, ReadBack>> => {
  let found: readonly Roll[] = [];
  let cursor: number | undefined;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const query = {
      limit: ON_PAGE,
      ...(to !== undefined && { to }),
      ...(cursor !== undefined && { cursor }),
    };
    const read = await call(pages, { query });
    if (E.isLeft(read)) return read;
    found = [...rollsOf(read.right.rolls), ...found];
    cursor = read.right.next ?? undefined;
    if (cursor === undefined || by === 'all' || periodOf(by, found).length < found.length) break;
  }
  return E.right({ found, isMore: cursor !== undefined });
};

/** Shows the period that ends at the last of `until`. */
const show = async (until: readonly Date[], by = grouping.value): Promise<void> => {
  const read = await readBack(by, until.at(-1));
  if (E.isLeft(read)) return;
  batch(() => {
    const { found, isMore } = read.right;
    const period = periodOf(by, found);
    hasEarlier.value = isMore || period.length < found.length;
    ends.value = until;
    if (until.length === 0) addRolls(found);
    else earlier.value = period;
  });
};

/** Drops the rolls of a forgotten die from an earlier period. */
export const dropEarlier = (address: string): void => {
  earlier.value = earlier.value.filter((roll) => roll.address !== address);
};

export const showEarlier = (): void => {
  const { from } = span.value;
  if (from !== undefined) detached(show([...ends.value, from]));
};

export const showLater = (): void => detached(show(ends.value.slice(0, -1)));

effect(() => {
  const by = grouping.value;
  if (isKept.value) detached(untracked(() => show([], by)));
});

export const FORMATS = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Saves the rolls of the shown period as a file. */
export const saveRolls = async (format: keyof typeof FORMATS): Outcome => {
  try {
    const response = await send(requestOf(pages, { query: { ...span.value } }), { accept: FORMATS[format] });
    if (!response.ok) return { code: String(response.status), error: response.statusText };
    save(await response.blob(), `rolls.${format}`);
    return null;
  } catch {
    return UNREACHABLE;
  }
};
