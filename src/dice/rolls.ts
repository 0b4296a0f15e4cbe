/** The rolls that the server keeps. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import { DAY_MS, type Cancel } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import type { DeviceError } from '../devices/device-error.js';
import { facesOf, RESTS, type AnyDiceType, type RestTag } from '../protocols/dice-values.js';
import { pruneHourly, where, type Condition, type HistoryOptions } from '../store/history.js';
import type { Statement, StoreError } from '../store/store.js';
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
const FACES_AT_ONCE = 50_000;

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

/** The longest span of time whose rolls are found by the index of times, ms; a longer one takes longer that way. */
const SHORT_MS = 31 * DAY_MS;

/** The ids from the first to the last roll of a span of time. */
const IDS = ['min', 'max'].map((end) => `(SELECT ${end}(id) FROM rolls WHERE time >= ? AND time < ?)`);

const conditionsOf = ({ address, dice_type, ...span }: RollFilter, now: Date): readonly Condition[] => {
  const [from, to] = [span.from?.getTime(), span.to?.getTime()];
  const isShort = from !== undefined && (to ?? now.getTime()) - from <= SHORT_MS;
  const ends = [isShort ? from : undefined, to ?? Number.MAX_SAFE_INTEGER];
  return [
    ['address = ?', address],
    ['dice_type = ?', dice_type],
    // `+`: not by the index of times, since rows are in the order of ids.
    ['+time >= ?', from],
    ['+time < ?', to],
    [`id BETWEEN ${IDS.join(' AND ')}`, ...ends, ...ends],
  ];
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
  /** The rolls since the last count began, which its rows do not have. */
  private uncounted: Counts = new Map();
  private readonly cancelPrune: Cancel;

  constructor(
    private readonly options: HistoryOptions,
    mostRolls = MOST_ROLLS,
  ) {
    const { store } = options;
    this.cancelPrune = pruneHourly(options, 'rolls', () => {
      store.write([
        `DELETE FROM rolls WHERE id <= (SELECT id FROM rolls ORDER BY id DESC LIMIT 1 OFFSET ${mostRolls})`,
      ]);
      detached(this.count());
    });
    store.onRecovery(() => detached(this.count()));
  }

  /** How many rolls of a die are kept. */
  of(address: Address): number {
    return this.counts.get(address) ?? 0;
  }

  /** `time`: ms of the Unix epoch. */
  add({ time, address, dice_type, face, ended, session_id }: NewRoll): void {
    const { store } = this.options;
    if (store.state.state === 'off') return;
    for (const counts of [this.counts, this.uncounted]) increase(counts, address, 1);
    store.write([
      'INSERT INTO rolls (time, address, dice_type, face, ended, session_id) VALUES (?, ?, ?, ?, ?, ?)',
      ...[time, address, dice_type, face, ended, session_id],
    ]);
  }

  /** The newest rolls first. */
  page({ limit, cursor, ...filter }: PageOptions): TE.TaskEither<StoreError, RollPage> {
    const [condition, ...values] = where([...this.conditionsOf(filter), ['id < ?', cursor]]);
    return pipe(
      this.options.store.read([
        `SELECT ${COLUMNS} FROM rolls ${condition} ORDER BY id DESC LIMIT ?`,
        ...[...values, limit + 1],
      ]),
      TE.map((rows) => {
        const rolls = rows.slice(0, limit).filter(Roll.is);
        return { rolls, next: rows.length > limit ? Number(rows[limit - 1]?.['id']) : null };
      }),
    );
  }

  /** All rolls, or `limit` of them, the newest first, in pieces. Left: the store fails at once; a later failure is thrown. */
  all({ limit = Infinity, ...options }: Partial<PageOptions>): TE.TaskEither<StoreError, Pieces> {
    const piece = (left: number, cursor = options.cursor): TE.TaskEither<StoreError, RollPage> =>
      this.page({ ...options, limit: Math.min(PIECE, left), cursor });
    const following = async function* (first: RollPage): AsyncGenerator<readonly Roll[]> {
      let [page, left] = [first, limit];
      for (;;) {
        const { rolls, next } = page;
        yield rolls;
        left -= rolls.length;
        if (next === null || left <= 0) return;
        const later = await piece(left, next)();
        if (E.isLeft(later)) throw new Error(later.left.reason);
        page = later.right;
      }
    };
    return pipe(piece(limit), TE.map(following));
  }

  /** Deletes rolls; returns their number. */
  forget(filter: RollFilter): TE.TaskEither<StoreError, number> {
    const [condition, ...values] = where(this.conditionsOf(filter));
    return pipe(
      this.options.store.change([`DELETE FROM rolls ${condition}`, ...values]),
      TE.chainFirstTaskK(() => () => this.count()),
    );
  }

  /** The results `Stable` of a die as one type. */
  statistics(
    filter: RollFilter & { readonly address: Address; readonly dice_type: AnyDiceType },
  ): TE.TaskEither<DeviceError, Statistics> {
    const { address, dice_type } = filter;
    const tally: Tally = { counts: new Map(), longest: 0, run: { face: NaN, length: 0 } };
    const next = (after: number): TE.TaskEither<DeviceError, Statistics> =>
      pipe(
        this.options.store.read(this.seriesAfter(after, filter)),
        TE.chain(([row]) => {
          add(tally, String(row?.['series'] ?? ''));
          return Number(row?.['rolls']) < FACES_AT_ONCE
            ? TE.right(statisticsOf(address, dice_type, tally))
            : next(Number(row?.['last']));
        }),
      );
    return next(0);
  }

  close(): void {
    this.cancelPrune();
  }

  private conditionsOf(filter: RollFilter): readonly Condition[] {
    return conditionsOf(filter, this.options.time.date());
  }

  private seriesAfter(id: number, filter: RollFilter): Statement {
    const ended: RestTag = RESTS[0];
    const [condition, ...values] = where([
      ...this.conditionsOf(filter),
      ['ended = ?', ended],
      ['id > ?', id],
    ]);
    return [
      `SELECT group_concat(char(face + ${FACE_ZERO}), '') series, count(*) rolls, max(id) last
       FROM (SELECT id, face FROM rolls ${condition} ORDER BY id LIMIT ${FACES_AT_ONCE})`,
      ...values,
    ];
  }

  private async count(): Promise<void> {
    const counts: Counts = new Map();
    this.uncounted = counts;
    const rows = await this.options.store.read(['SELECT address, count(*) n FROM rolls GROUP BY address'])();
    // A later count has begun, which knows more.
    if (E.isLeft(rows) || this.uncounted !== counts) return;
    for (const { address, n } of rows.right) increase(counts, String(address), Number(n));
    this.counts = counts;
    this.uncounted = new Map();
  }
}
