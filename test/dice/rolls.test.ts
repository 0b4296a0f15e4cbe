import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { AnyDiceType } from '../../src/dice/contract.js';
import { MIGRATIONS } from '../../src/dice/memory.js';
import { Rolls, type RollFilter } from '../../src/dice/rolls.js';
import { rollStream } from '../../src/dice/roll-texts.js';
import { facesOf, RESTS } from '../../src/protocols/dice-values.js';
import { NO_STORE, openStore, type Statement, type Store } from '../../src/store/store.js';
import { NO_FACTS, SystemClock } from '../../src/store/system-clock.js';
import { messageOf } from '../../src/system/system-error.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';
import { trustedClock } from '../support/system-clock.js';
import { watched } from '../support/watched-store.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const RED = 'D1:CE:00:00:00:01';
const GREEN = 'D1:CE:00:00:00:02';

describe('The rolls', () => {
  const keep = keeper();
  let path: string;
  let time: ReturnType<typeof manualTime>;
  let store: ReturnType<typeof watched>;
  let rolls: Rolls;

  const open = (historyDays: number | null = null, mostRolls?: number): Rolls =>
    keep(new Rolls({ store, time, systemClock: trustedClock(time), historyDays }, mostRolls));

  beforeEach(() => {
    path = `${newFolder()}/rolls.sqlite`;
    time = manualTime(BEGIN);
    store = watched(keep(openStore({ path, migrations: MIGRATIONS, time, log: silent })));
    rolls = open();
  });

  /** Adds a d6 of RED, a second after the last, with changes. */
  const roll = (face: number, change: Partial<Parameters<Rolls['add']>[0]> = {}): void => {
    const at = time.date().getTime();
    rolls.add({ time: at, address: RED, dice_type: 'd6', face, ended: 'Stable', session_id: 's', ...change });
    time.advance(1_000);
  };

  const facesOn = async (filter: RollFilter & { limit?: number }): Promise<readonly number[]> =>
    right(await rolls.page({ limit: 100, ...filter })()).rolls.map(({ face }) => face);

  const counted = async (): Promise<void> => {
    while (rolls.of(RED) === null) await facesOn({});
  };

  const statistics = async (dice_type: AnyDiceType, filter: RollFilter = {}) =>
    right(await rolls.statistics({ ...filter, address: RED, dice_type })());

  it('are kept as they were', async () => {
    roll(3, { ended: 'FakeStable', session_id: '-abc' });
    expect(right(await rolls.page({ limit: 1 })())).to.deep.equal({
      rolls: [
        {
          ...{ id: 1, time: '2026-01-02T03:04:05.678Z', address: RED, dice_type: 'd6', face: 3 },
          ...{ ended: 'FakeStable', session_id: '-abc' },
        },
      ],
      next: null,
    });
  });

  it('are listed by die, type and time, the newest first', async () => {
    roll(1);
    roll(2, { address: GREEN });
    roll(3, { dice_type: 'd20' });
    roll(4);
    expect(await facesOn({})).to.deep.equal([4, 3, 2, 1]);
    expect(await facesOn({ address: RED })).to.deep.equal([4, 3, 1]);
    expect(await facesOn({ dice_type: 'd20' })).to.deep.equal([3]);
    const [from, to] = [1, 3].map((secs) => new Date(BEGIN + secs * 1_000));
    expect(await facesOn({ from, to })).to.deep.equal([3, 2]);
    expect(await facesOn({ address: RED, from, to })).to.deep.equal([3]);
    expect(await facesOn({ limit: 2 })).to.deep.equal([4, 3]);
  });

  it('are paged without gaps while others arrive', async () => {
    const all = [1, 2, 3, 4, 5, 6];
    for (const face of all) roll(face);
    const seen: number[] = [];
    let cursor: number | undefined;
    do {
      const page = right(await rolls.page({ limit: 2, cursor })());
      seen.push(...page.rolls.map(({ face }) => face));
      cursor = page.next ?? undefined;
      roll(6);
    } while (cursor !== undefined);
    expect(seen).to.deep.equal(all.reverse());
  });

  it('are read in pieces, up to a limit', async () => {
    for (let index = 0; index < 2_500; index++) roll((index % 6) + 1);
    const sizes = async (options: Parameters<Rolls['all']>[0]): Promise<readonly number[]> => {
      const pieces: number[] = [];
      for await (const piece of right(await rolls.all(options)())) pieces.push(piece.length);
      return pieces;
    };
    expect(await sizes({})).to.deep.equal([1_000, 1_000, 500]);
    expect(await sizes({ limit: 1_001 })).to.deep.equal([1_000, 1]);
    expect(await sizes({ limit: 1_000 })).to.deep.equal([1_000]);
    expect(await sizes({ cursor: 3 })).to.deep.equal([2]);
    expect(await sizes({ address: GREEN })).to.deep.equal([0]);
  });

  it('break off, and do not look complete, when their client or the server ends', async () => {
    for (let index = 0; index < 1_500; index++) roll((index % 6) + 1);
    const client = new AbortController();
    const pieces: number[] = [];
    const reading = (async () => {
      for await (const piece of right(await rolls.all({}, client.signal)())) {
        pieces.push(piece.length);
        client.abort();
      }
    })();
    const reason = await reading.catch((error: unknown) => messageOf(error));
    expect([reason, pieces]).to.deep.equal(['the client or the server ends', [1_000]]);
  });

  it('are counted, also after a restart and after some were deleted', async () => {
    for (const face of [1, 2, 3]) roll(face);
    roll(4, { address: GREEN });
    expect(rolls.of(RED)).to.equal(null);
    await counted();
    expect([rolls.of(RED), rolls.of(GREEN)]).to.deep.equal([3, 1]);
    rolls = open();
    roll(5);
    await counted();
    expect([rolls.of(RED), rolls.of(GREEN)]).to.deep.equal([4, 1]);
    const from = new Date(BEGIN + 1_000);
    expect(right(await rolls.forget({ address: RED, from })())).to.equal(3);
    expect([rolls.of(RED), rolls.of(GREEN)]).to.deep.equal([1, 1]);
    expect(await facesOn({})).to.deep.equal([4, 1]);
  });

  it('are counted when the store can be used again', async () => {
    for (const face of [1, 2]) roll(face);
    await facesOn({});
    const again = keep(openStore({ path, migrations: MIGRATIONS, time, log: silent }));
    const late = keep(new Rolls({ store: again, time, systemClock: trustedClock(time), historyDays: null }));
    await again.read(['SELECT 1'])();
    await store.close();
    time.advance(MINUTE);
    while (late.of(RED) === null) await again.read(['SELECT 1'])();
    expect(late.of(RED)).to.equal(2);
  });

  it('are not counted without a store', async () => {
    const none = keep(new Rolls({ store: NO_STORE, time, systemClock: trustedClock(time), historyDays: 1 }));
    none.add({ time: BEGIN, address: RED, dice_type: 'd6', face: 1, ended: 'Stable', session_id: 's' });
    await none.counted;
    expect(none.of(RED)).to.equal(null);
  });

  it('are counted once each while other clients read', async () => {
    await counted();
    rolls = open();
    const reads = Array.from({ length: 20 }, async (_, index) => {
      roll((index % 6) + 1);
      await facesOn({});
    });
    await Promise.all([counted(), ...reads]);
    expect(rolls.of(RED)).to.equal(20);
  });

  describe('with large gaps between their ids', () => {
    const IDS = [1, 19_999, 20_001, 60_000, 60_001, 99_999];

    beforeEach(async () => {
      for (const id of IDS)
        right(
          await store.change([
            `INSERT INTO rolls VALUES (?, ?, ?, 'd6', ?, 'Stable', 's', NULL)`,
            ...[id, BEGIN + id * DAY, RED, (id % 6) + 1],
          ])(),
        );
    });

    const idsOn = async (options: Parameters<Rolls['page']>[0]): Promise<readonly number[]> =>
      right(await rolls.page(options)()).rolls.map(({ id }) => id);

    it('are listed, counted, and in statistics', async () => {
      expect(await idsOn({ limit: 100 })).to.deep.equal([...IDS].reverse());
      expect(await idsOn({ limit: 2, cursor: 60_001 })).to.deep.equal([60_000, 20_001]);
      expect(
        await idsOn({ limit: 9, from: new Date(BEGIN + 2 * DAY), to: new Date(BEGIN + 60_000 * DAY) }),
      ).to.deep.equal([20_001, 19_999]);
      expect(await idsOn({ limit: 9, dice_type: 'd12' })).to.deep.equal([]);
      expect(right(await rolls.page({ limit: 3 })()).next).to.equal(60_000);
      expect((await statistics('d6')).rolls).to.equal(IDS.length);
      rolls = open();
      await counted();
      expect(rolls.of(RED)).to.equal(IDS.length);
    });

    it('are deleted', async () => {
      const to = new Date(BEGIN + 60_001 * DAY);
      expect(right(await rolls.forget({ address: RED, to })())).to.equal(4);
      expect(await idsOn({ limit: 9 })).to.deep.equal([99_999, 60_001]);
    });
  });

  it('are found with statements that look at a part of the table', async () => {
    const statements: Statement[] = [];
    const noting: Store = Object.assign(Object.create(store) as Store, {
      read: (statement: Statement) => {
        statements.push(statement);
        return store.read(statement);
      },
    });
    await store.change([
      `INSERT INTO rolls (time, address, dice_type, face, ended, session_id)
       WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 70000)
       SELECT ${BEGIN} + i, '${RED}', 'd6', 1, 'Stable', 's' FROM n`,
    ])();
    rolls = keep(new Rolls({ store: noting, time, systemClock: trustedClock(time), historyDays: null }));
    await counted();
    const [from, to] = [new Date(BEGIN), new Date(BEGIN + 40_000)];
    for (const filter of [
      {},
      { dice_type: 'd12' },
      { address: GREEN },
      { from },
      { to },
      { from, to, address: RED },
    ] as const)
      right(await rolls.page({ ...filter, limit: 10 })());
    await statistics('d6', { from, to });
    await statistics('d12');
    for (const [sql, ...values] of statements) {
      const plan = right(await store.read([`EXPLAIN QUERY PLAN ${sql}`, ...values])());
      for (const { detail } of plan)
        if (String(detail).startsWith('SCAN rolls')) expect.fail(`${sql} reads the whole table`);
    }
    expect(statements.length).to.be.above(20);
  });

  describe('as statistics', () => {
    it('have no mean and no p without rolls', async () => {
      expect(await statistics('d4')).to.deep.equal({
        ...{ address: RED, dice_type: 'd4', rolls: 0, counts: { 1: 0, 2: 0, 3: 0, 4: 0 } },
        ...{ expected: 0, chi_squared: 0, degrees: 3, p: null, mean: null, longest_run: 0 },
      });
    });

    it('are of one die and type, of a time, and of rolls that ended Stable', async () => {
      for (const face of [6, 6, 1]) roll(face);
      for (const ended of RESTS) roll(6, { ended });
      roll(6, { address: GREEN });
      roll(6, { dice_type: 'd20' });
      expect(await statistics('d6')).to.deep.include({
        ...{ rolls: 4, counts: { 1: 1, 2: 0, 3: 0, 4: 0, 5: 0, 6: 3 } },
        ...{ mean: 19 / 4, longest_run: 2, p: null },
      });
      expect(await statistics('d6', { to: new Date(BEGIN + 2_000) })).to.deep.include({ rolls: 2, mean: 6 });
    });

    for (const [dice_type, mean] of [
      ['d10', 4.5],
      ['d10x', 45],
      ['fudge', 0],
      ['d20', 10.5],
    ] as const) {
      it(`count each face of a ${dice_type}`, async () => {
        const faces = facesOf(dice_type);
        for (let round = 0; round < 5; round++) for (const face of faces) roll(face, { dice_type });
        expect(await statistics(dice_type)).to.deep.include({
          ...{ rolls: 5 * faces.length, counts: Object.fromEntries(faces.map((face) => [face, 5])) },
          ...{ expected: 5, chi_squared: 0, degrees: faces.length - 1, p: 1, mean, longest_run: 1 },
        });
      });
    }

    it('find the longest run across the pieces in which they are read', async () => {
      const rows = 120_000;
      // The faces beside it are 2 and 5.
      const run = { from: 49_988, to: 50_020 };
      store.write([
        `INSERT INTO rolls (time, address, dice_type, face, ended, session_id)
         WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT i, ?, 'd6', CASE WHEN i >= ? AND i < ? THEN 4 ELSE i % 6 + 1 END, 'Stable', 's' FROM n`,
        ...[rows - 1, RED, run.from, run.to],
      ]);
      expect(await statistics('d6')).to.deep.include({ rolls: rows, longest_run: run.to - run.from });
    });
  });

  describe('with limits', () => {
    const FACES = [1, 2, 3];

    it('lose the oldest beyond a number', async () => {
      rolls = open(null, FACES.length);
      for (const face of [6, 5, ...FACES]) roll(face);
      await counted();
      time.advance(HOUR);
      while (rolls.of(RED) !== FACES.length) await facesOn({});
      expect(await facesOn({})).to.deep.equal([3, 2, 1]);
    });

    it('are deleted after a number of days', async () => {
      rolls = open(1);
      roll(6);
      time.advance(12 * HOUR);
      roll(1);
      time.advance(11 * HOUR);
      await store.idle();
      expect(await facesOn({})).to.deep.equal([1, 6]);
      time.advance(2 * HOUR);
      await store.idle();
      expect(await facesOn({})).to.deep.equal([1]);
      time.advance(10 * DAY);
      await store.idle();
      expect(await facesOn({})).to.deep.equal([]);
    });

    it('stay, in their order, when the time of day jumps', async () => {
      let jump = 0;
      const jumping = Object.assign(manualTime(BEGIN), { date: () => new Date(BEGIN + jump) });
      const systemClock = keep(new SystemClock({ time: jumping, log: silent, clockFacts: NO_FACTS }));
      rolls = keep(new Rolls({ store, time: jumping, systemClock, historyDays: 1 }));
      const jumps = [0, 400 * DAY, -12 * HOUR, 1];
      for (const [index, ms] of jumps.entries()) {
        jump = ms;
        roll(index + 1, { time: jumping.date().getTime() });
        jumping.advance(HOUR);
        await store.idle();
      }
      expect(await facesOn({})).to.deep.equal([4, 3, 2, 1]);
      expect((await statistics('d6')).rolls).to.equal(jumps.length);
      const [from, to] = [-DAY, HOUR].map((ms) => new Date(BEGIN + ms));
      expect(await facesOn({ from, to })).to.deep.equal([4, 3, 1]);
      expect((await statistics('d6', { from, to })).rolls).to.equal(3);
    });
  });

  it('are lines of CSV, in which no text is a formula', async () => {
    const text = async (mediaType: string): Promise<string> => {
      let all = '';
      for await (const piece of rollStream(mediaType, right(await rolls.all({})())).pieces) all += piece;
      return all;
    };
    expect(await text('text/csv')).to.equal('id,time,address,dice_type,face,ended,session_id\r\n');
    roll(1, { session_id: '=1+1' });
    roll(-1, { dice_type: 'fudge', session_id: '-"a",b' });
    expect(await text('text/csv')).to.equal(
      [
        'id,time,address,dice_type,face,ended,session_id',
        `2,2026-01-02T03:04:06.678Z,${RED},fudge,-1,Stable,"'-""a"",b"`,
        `1,2026-01-02T03:04:05.678Z,${RED},d6,1,Stable,'=1+1`,
        '',
      ].join('\r\n'),
    );
    const lines = (await text('application/x-ndjson')).split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line) as unknown)).to.deep.equal(
      right(await rolls.page({ limit: 10 })()).rolls,
    );
  });
});
