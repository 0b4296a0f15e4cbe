import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { indexOfTimes, misdated, misdatedColumn, pruneHourly } from '../../src/store/history.js';
import { openStore } from '../../src/store/store.js';
import { NO_FACTS, SystemClock, type ClockFacts } from '../../src/store/system-clock.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';
import { watched } from '../support/watched-store.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BUILT = Date.UTC(2026, 5, 1);
const NOW = Date.UTC(2026, 6, 1);
const YEARS = 10 * 365 * DAY;

const TABLE = 'CREATE TABLE rolls (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL)';

/** Time whose date jumps. */
const jumpingTime = (date: number) => {
  const time = manualTime(date);
  let jumps = 0;
  return Object.assign(time, {
    date: () => new Date(time.now() + jumps),
    jump: (ms: number): void => void (jumps += ms),
  });
};

describe('The clock of the system', () => {
  const keep = keeper();
  let said: string[];
  const log = pino(
    { level: 'warn' },
    { write: (line) => said.push((JSON.parse(line) as { msg: string }).msg) },
  );

  const open = (time: ReturnType<typeof jumpingTime>, facts: Partial<ClockFacts> = {}) =>
    keep(new SystemClock({ time, log, clockFacts: { ...NO_FACTS, built: new Date(BUILT), ...facts } }));

  beforeEach(() => {
    said = [];
  });

  it('is trusted after an hour, unless a system says that it is not synchronised', async () => {
    for (const [says, trusts] of [
      [null, true],
      [true, true],
      [false, false],
    ] as const) {
      const time = jumpingTime(NOW);
      const clock = open(time, { isSynchronised: () => Promise.resolve(says) });
      time.advance(HOUR - 1);
      expect(await clock.trusted(), `${says} within an hour`).to.equal(null);
      time.advance(1);
      expect(await clock.trusted(), `${says} after an hour`).to.equal(trusts ? NOW + HOUR : null);
    }
    expect(said).to.deep.equal([
      'the system says that its clock is not synchronised: no row is deleted by its age until it is',
    ]);
  });

  const jumped = "the system's clock has jumped: no row is deleted by its age for an hour";
  for (const [title, ms, isJump] of [
    ['forwards by years', YEARS, true],
    ['back by a day', -DAY, true],
    ['forwards by more than a minute', MINUTE + 1, true],
    ['by a minute', MINUTE, false],
    ['back by a minute', -MINUTE, false],
  ] as const)
    it(`that is moved ${title} is ${isJump ? 'not trusted for an hour, and said to have jumped once' : 'trusted'}`, async () => {
      const time = jumpingTime(NOW);
      const clock = open(time);
      time.advance(HOUR);
      time.jump(ms);
      expect(await clock.trusted()).to.equal(isJump ? null : NOW + HOUR + ms);
      time.advance(HOUR - 1);
      expect(await clock.trusted()).to.equal(isJump ? null : NOW + 2 * HOUR - 1 + ms);
      time.advance(1);
      expect(await clock.trusted()).to.equal(NOW + 2 * HOUR + ms);
      expect(said).to.deep.equal(isJump ? [jumped] : []);
    });

  it('is not trusted for an hour after a jump that is set back', async () => {
    const time = jumpingTime(NOW);
    const clock = open(time);
    for (const ms of [YEARS, -YEARS]) {
      time.jump(ms);
      time.advance(MINUTE);
    }
    time.advance(HOUR - 2 * MINUTE);
    expect(await clock.trusted()).to.equal(null);
    expect(said).to.deep.equal([jumped, jumped]);
  });

  it('is not trusted if it jumps while the system is asked', async () => {
    const time = jumpingTime(NOW);
    const clock = open(time, {
      isSynchronised: () => {
        time.jump(YEARS);
        return Promise.resolve(true);
      },
    });
    time.advance(HOUR);
    expect(await clock.trusted()).to.equal(null);
  });

  it('is wrong and never trusted while it is earlier than the build', async () => {
    const time = jumpingTime(BUILT - DAY);
    const clock = open(time);
    expect([BUILT - 1, BUILT].map((date) => clock.isWrong(date))).to.deep.equal([true, false]);
    time.advance(2 * HOUR);
    expect(await clock.trusted()).to.equal(null);
    expect(said).to.deep.equal(["the system's clock is wrong: it is earlier than the build of this program"]);
  });

  it('is not wrong for a program whose build is not known', async () => {
    const time = jumpingTime(0);
    const clock = open(time, { built: null });
    time.advance(HOUR);
    expect(clock.isWrong(-1)).to.equal(false);
    expect(await clock.trusted()).to.equal(HOUR);
  });

  describe('decides that rows', () => {
    /** A server that keeps rows for 30 days; it runs for a time, and then ends. */
    const run = async (
      path: string,
      date: number,
      course: (server: Server) => Promise<void>,
    ): Promise<void> => {
      const time = jumpingTime(date);
      const migrations = [TABLE, indexOfTimes('rolls'), misdatedColumn('rolls')];
      const store = watched(openStore({ path, migrations, time, log: silent }));
      const systemClock = new SystemClock({ time, log, clockFacts: { ...NO_FACTS, built: new Date(BUILT) } });
      const options = { store, time, systemClock, historyDays: 30 };
      const cancel = pruneHourly(options, 'rolls', () => undefined);
      await course({
        roll: () => {
          const now = time.date().getTime();
          const columns = 'INSERT INTO rolls (time, misdated) VALUES (?, ?)';
          store.write([columns, now, misdated(options, now)]);
        },
        pass: async (ms) => {
          time.advance(ms);
          await store.idle();
        },
        jump: time.jump,
        times: async () =>
          right(await store.read(['SELECT time FROM rolls ORDER BY id'])()).map((row) => Number(row['time'])),
      });
      cancel();
      systemClock.close();
      await store.close();
    };

    interface Server {
      readonly roll: () => void;
      readonly pass: (ms: number) => Promise<void>;
      readonly jump: (ms: number) => void;
      readonly times: () => Promise<readonly number[]>;
    }

    const rollOnce = ({ roll }: Server): Promise<void> => {
      roll();
      return Promise.resolve();
    };

    const newFile = (): string => `${newFolder()}/rolls.sqlite`;

    it('stay, although a clock is years ahead at a start, until it is set right', async () => {
      const path = newFile();
      await run(path, NOW, rollOnce);
      await run(path, NOW + YEARS, async ({ roll, pass, jump, times }) => {
        await pass(59 * MINUTE);
        jump(-YEARS);
        roll();
        await pass(10 * DAY);
        expect(await times()).to.deep.equal([NOW, NOW + 59 * MINUTE]);
      });
    });

    it('stay, although a clock jumps years ahead, if it is back before an hour has gone', async () => {
      await run(newFile(), NOW, async ({ roll, pass, jump, times }) => {
        roll();
        await pass(2 * DAY + 30 * MINUTE);
        jump(YEARS);
        await pass(HOUR);
        jump(-YEARS);
        await pass(2 * HOUR);
        expect(await times()).to.deep.equal([NOW]);
      });
    });

    it('stay for ever if a clock before the build dated them, also after a start with the right date', async () => {
      const path = newFile();
      for (const date of [0, BUILT - 1]) await run(path, date, rollOnce);
      await run(path, BUILT, async ({ roll, pass, times }) => {
        roll();
        await pass(31 * DAY);
        expect(await times()).to.deep.equal([0, BUILT - 1]);
      });
    });

    it('go an hour after the start of a clock that is right, all that are old', async () => {
      const path = newFile();
      await run(path, BUILT, async ({ roll }) => {
        for (let rows = 0; rows < 2_500; rows++) roll();
        return Promise.resolve();
      });
      await run(path, NOW, async ({ roll, pass, times }) => {
        roll();
        await pass(HOUR - 1);
        expect(await times()).to.have.length(2_501);
        await pass(1);
        expect(await times()).to.deep.equal([NOW]);
      });
    });
  });
});
