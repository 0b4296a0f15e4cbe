/** The rolls that the server keeps. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as T from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { Cancel } from '../async/time.js';
import { wait } from '../async/wait.js';
import type { Address } from '../ble/ports.js';
import type { DeviceError } from '../devices/device-error.js';
import { facesOf, RESTS, type AnyDiceType, type RestTag } from '../protocols/dice-values.js';
import {
  deleteRows,
  misdated,
  pruneHourly,
  where,
  type Condition,
  type HistoryOptions,
} from '../store/history.js';
import type { Row, Statement, StoreError } from '../store/store.js';
import { LOAD_MS } from '../store/table.js';
import { Roll, type RollPage, type Statistics } from './contract-records.js';
import { fairness } from './fairness.js';

/**
 * The table of rolls, and an index: of a die in order, with all that its statistics need. Rolls are in the order of their
 * ids, since the time of day may jump.
 */
export const ROLLS_TABLE = `CREATE TABLE rolls (
  id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, address TEXT NOT NULL, dice_type TEXT NOT NULL,
  face INTEGER NOT NULL, ended TEXT NOT NULL, session_id TEXT NOT NULL
);
CREATE INDEX rolls_of_die ON rolls (address, id, dice_type, ended, face, time)`;

/** The most rolls that are kept. */
const MOST_ROLLS = 5_000_000;

/** How many rolls are read at once: more would hold up other reads, and the events of the server. */
const PIECE = 1_000;

/** How many ids a statement looks through, for the same reason. */
const WINDOW = 20_000;

export interface RollFilter {
  readonly address?: Address | undefined;
  readonly dice_type?: AnyDiceType | undefined;
  /** Included. */
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

interface PageOptions extends RollFilter {
  readonly limit: number;
  /** Only rolls with smaller ids. */
  readonly cursor?: number | undefined;
}

export type Pieces = AsyncIterable<readonly Roll[]>;

const conditionsOf = ({ address, dice_type, from, to }: RollFilter): readonly Condition[] => [
  ['address = ?', address],
  ['dice_type = ?', dice_type],
  // `+`: not by the index of times, since rows are in the order of ids.
  ['+time >= ?', from?.getTime()],
  ['+time < ?', to?.getTime()],
];

/** The ids from `first` on, before `end`. */
interface Ids {
  readonly first: number;
  readonly end: number;
}

/** Windows of ids one after another, the oldest first. */
function* windowsOf({ first, end }: Ids): Generator<Ids> {
  for (let next = first; next < end; next += WINDOW) yield { first: next, end: Math.min(next + WINDOW, end) };
}

const within = ({ first, end }: Ids): readonly Condition[] => [
  ['id >= ?', first],
  ['id < ?', end],
];

/** The query of the smallest and the largest id; in one query without subqueries, SQLite would read all rows. */
const idRange = (condition: string): string =>
  `SELECT (SELECT min(id) FROM rolls ${condition}) first, (SELECT max(id) FROM rolls ${condition}) last`;

const idsIn = ([row]: readonly Row[]): Ids => {
  const { first = null, last = null } = row ?? {};
  return first === null || last === null
    ? { first: 0, end: 0 }
    : { first: Number(first), end: Number(last) + 1 };
};

/** The columns of a roll as clients know it. */
const COLUMNS = `id, strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') time,
  address, dice_type, face, ended, session_id`;

/** A face as one character, so that a text is a series of faces: `@` is 0. */
const FACE_ZERO = 64;

interface Tally {
  readonly counts: Map<number, number>;
  longest: number;
  /** The run at the end. */
  run: { readonly face: number; length: number };
}

const add = (tally: Tally, series: string): void => {
  for (let index = 0; index < series.length; index++) {
    const face = series.charCodeAt(index) - FACE_ZERO;
    tally.counts.set(face, (tally.counts.get(face) ?? 0) + 1);
    if (tally.run.face === face) tally.run.length += 1;
    else tally.run = { face, length: 1 };
    tally.longest = Math.max(tally.longest, tally.run.length);
  }
};

const statisticsOf = (address: Address, dice_type: AnyDiceType, { counts, longest }: Tally): Statistics => {
  const faces = facesOf(dice_type);
  const numbers = faces.map((face) => counts.get(face) ?? 0);
  const rolls = numbers.reduce((all, count) => all + count, 0);
  const sum = faces.reduce((all, face, index) => all + face * (numbers[index] ?? 0), 0);
  const { chiSquare, p, isMeaningful } = fairness(numbers);
  return {
    ...{ address, dice_type, rolls },
    counts: Object.fromEntries(faces.map((face, index) => [String(face), numbers[index] ?? 0])),
    expected: rolls / faces.length,
    chi_squared: chiSquare,
    degrees: faces.length - 1,
    p: isMeaningful ? p : null,
    mean: rolls === 0 ? null : sum / rolls,
    longest_run: longest,
  };
};

interface NewRoll extends Omit<Roll, 'id' | 'time'> {
  readonly time: number;
}

type Counts = Map<Address, number>;

const increase = (counts: Counts, address: Address, by: number): void =>
  void counts.set(address, (counts.get(address) ?? 0) + by);

export class Rolls {
  private counts: Counts = new Map();
  private hasCounted = false;
  /** Resolves when the rolls have been counted first, or after `LOAD_MS`. Never rejects. */
  readonly counted: Promise<unknown>;
  /** The rolls since the last count began, which its rows do not have. */
  private uncounted: Counts = new Map();
  private readonly cancelPrune: Cancel;

  constructor(
    private readonly options: HistoryOptions,
    mostRolls = MOST_ROLLS,
  ) {
    const { store, time } = options;
    let counting = Promise.resolve();
    this.cancelPrune = pruneHourly(options, 'rolls', () => {
      counting = this.limit(mostRolls);
      detached(counting);
    });
    this.counted = wait<true>({ time, ms: LOAD_MS }, (settle) => {
      detached(counting.then(() => settle(true)));
      return () => undefined;
    })();
    store.onRecovery(() => detached(this.count()));
  }

  /** How many rolls of a die are kept; null until they are counted. */
  of(address: Address): number | null {
    return this.hasCounted ? (this.counts.get(address) ?? 0) : null;
  }

  /** `time`: ms of the Unix epoch. */
  add({ time, address, dice_type, face, ended, session_id }: NewRoll): void {
    const { store } = this.options;
    if (store.state.state === 'off') return;
    for (const counts of [this.counts, this.uncounted]) increase(counts, address, 1);
    store.write([
      'INSERT INTO rolls (time, address, dice_type, face, ended, session_id, misdated) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[time, address, dice_type, face, ended, session_id, misdated(this.options, time)],
    ]);
  }

  /** The newest rolls first. */
  page(
    { limit, cursor = Infinity, ...filter }: PageOptions,
    signal?: AbortSignal,
  ): TE.TaskEither<StoreError, RollPage> {
    const { store } = this.options;
    return async () => {
      const ids = await this.idsOf(filter, signal)();
      if (E.isLeft(ids)) return ids;
      const { first } = ids.right;
      const rolls: Roll[] = [];
      let end = Math.min(ids.right.end, cursor);
      while (end > first && rolls.length <= limit) {
        const window = { first: Math.max(first, end - WINDOW), end };
        const most = Math.min(PIECE + 1, limit + 1 - rolls.length);
        const [condition, ...values] = where([...conditionsOf(filter), ...within(window)]);
        const rows = await store.read(
          [`SELECT ${COLUMNS} FROM rolls ${condition} ORDER BY id DESC LIMIT ${most}`, ...values],
          signal,
        )();
        if (E.isLeft(rows)) return rows;
        rolls.push(...rows.right.filter(Roll.is));
        end = rows.right.length < most ? window.first : Number(rows.right.at(-1)?.['id']);
      }
      const next = rolls.length > limit ? (rolls[limit - 1]?.id ?? null) : null;
      return E.right({ rolls: rolls.slice(0, limit), next });
    };
  }

  /** All rolls, or `limit` of them, the newest first, in pieces. Left: the store fails at once; a later failure is thrown. */
  all(
    { limit = Infinity, ...options }: Partial<PageOptions>,
    signal?: AbortSignal,
  ): TE.TaskEither<StoreError, Pieces> {
    const piece = (left: number, cursor = options.cursor): TE.TaskEither<StoreError, RollPage> =>
      this.page({ ...options, limit: Math.min(PIECE, left), cursor }, signal);
    const following = async function* (first: RollPage): AsyncGenerator<readonly Roll[]> {
      let [page, left] = [first, limit];
      for (;;) {
        const { rolls, next } = page;
        yield rolls;
        left -= rolls.length;
        if (next === null || left <= 0) return;
        const later = await piece(left, next)();
        // A client must not take what it has for all.
        if (E.isLeft(later))
          throw new Error('reason' in later.left ? later.left.reason : 'the client or the server ends');
        page = later.right;
      }
    };
    return pipe(piece(limit), TE.map(following));
  }

  /** Deletes rolls, and then runs the statements `also`; returns the number of rolls. Left: some may be deleted. */
  forget(filter: RollFilter, ...also: readonly Statement[]): TE.TaskEither<StoreError, number> {
    const { store } = this.options;
    return pipe(
      this.idsOf(filter),
      TE.chain((ids) => async () => {
        let all = 0;
        for (const window of windowsOf(ids)) {
          const found = where([...conditionsOf(filter), ...within(window)]);
          const deleted = await deleteRows(store, 'rolls', found)();
          if (E.isLeft(deleted)) return deleted;
          all += deleted.right;
        }
        return E.right(all);
      }),
      TE.chainFirst(() => store.change(...also)),
      T.chainFirst(() => () => this.count()),
    );
  }

  /** The results `Stable` of a die as one type. */
  statistics(
    filter: RollFilter & { readonly address: Address; readonly dice_type: AnyDiceType },
    signal?: AbortSignal,
  ): TE.TaskEither<DeviceError, Statistics> {
    const ended: RestTag = RESTS[0];
    const tally: Tally = { counts: new Map(), longest: 0, run: { face: NaN, length: 0 } };
    const series = `group_concat(char(face + ${FACE_ZERO}), '') series`;
    return pipe(
      this.idsOf(filter, signal),
      TE.chain(
        (ids) => () =>
          this.readWindows(
            ids,
            (window) => {
              const [condition, ...values] = where([
                ...conditionsOf(filter),
                ['ended = ?', ended],
                ...within(window),
              ]);
              return [`SELECT ${series} FROM (SELECT face FROM rolls ${condition} ORDER BY id)`, ...values];
            },
            ([row]) => add(tally, String(row?.['series'] ?? '')),
            signal,
          ),
      ),
      TE.map(() => statisticsOf(filter.address, filter.dice_type, tally)),
    );
  }

  close(): void {
    this.cancelPrune();
  }

  /** The ids among which the rolls of a filter are. */
  private idsOf({ address, from, to }: RollFilter, signal?: AbortSignal): TE.TaskEither<StoreError, Ids> {
    const { store } = this.options;
    const [ofDie, ...die] = where([['address = ?', address]]);
    const all = pipe(store.read([idRange(ofDie), ...die, ...die], signal), TE.map(idsIn));
    const [inTime, ...times] = where([
      ['time >= ?', from?.getTime()],
      ['time < ?', to?.getTime()],
    ]);
    if (times.length === 0) return all;
    const found = `SELECT id FROM rolls ${inTime} LIMIT ${WINDOW}`;
    return pipe(
      store.read([`SELECT min(id) first, max(id) last, count(*) n FROM (${found})`, ...times], signal),
      // The rolls of a longer time may be anywhere.
      TE.chain((rows) => (Number(rows[0]?.['n']) < WINDOW ? TE.right(idsIn(rows)) : all)),
    );
  }

  /** Reads some ids window by window, the oldest first. */
  private async readWindows(
    ids: Ids,
    statementOf: (window: Ids) => Statement,
    take: (rows: readonly Row[]) => void,
    signal?: AbortSignal,
  ): Promise<E.Either<StoreError, void>> {
    for (const window of windowsOf(ids)) {
      const rows = await this.options.store.read(statementOf(window), signal)();
      if (E.isLeft(rows)) return rows;
      take(rows.right);
    }
    return E.right(undefined);
  }

  /** Counts the rolls, and deletes the oldest of too many. */
  private async limit(mostRolls: number): Promise<void> {
    if (!(await this.count())) return;
    const excess = [...this.counts.values()].reduce((all, count) => all + count, 0) - mostRolls;
    if (excess <= 0) return;
    await deleteRows(this.options.store, 'rolls', ['ORDER BY id'], { most: excess })();
    await this.count();
  }

  /** False: the rolls could not be counted, or are being counted again. */
  private async count(): Promise<boolean> {
    const counts: Counts = new Map();
    this.uncounted = counts;
    // Later rolls, which have larger ids, are in `uncounted`.
    const ids = await this.options.store.snapshot([idRange('')])();
    if (E.isLeft(ids)) return false;
    const read = await this.readWindows(
      idsIn(ids.right),
      ({ first, end }) => [
        'SELECT address, count(*) n FROM rolls WHERE id >= ? AND id < ? GROUP BY address',
        ...[first, end],
      ],
      (rows) => {
        for (const { address, n } of rows) increase(counts, String(address), Number(n));
      },
    );
    // A later count has begun, which knows more.
    if (E.isLeft(read) || this.uncounted !== counts) return false;
    this.counts = counts;
    this.uncounted = new Map();
    this.hasCounted = true;
    return true;
  }
}
