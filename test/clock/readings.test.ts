import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { MIGRATIONS } from '../../src/clock/memory.js';
import { Readings, type Span } from '../../src/clock/readings.js';
import { deviceMessage } from '../../src/operations/index.js';
import { openStore } from '../../src/store/store.js';
import { BEDROOM, KITCHEN } from '../support/clock-fixture.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { silent } from '../support/log.js';
import { manualTime } from '../support/manual-time.js';
import { trustedClock } from '../support/system-clock.js';
import { watched } from '../support/watched-store.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 0, 2, 3, 0);

const iso = (ms: number): string => new Date(ms).toISOString();

describe('The readings of clocks', () => {
  const keep = keeper();
  let time: ReturnType<typeof manualTime>;
  let store: ReturnType<typeof watched>;
  let readings: Readings;

  const open = (historyDays: number | null = null): Readings =>
    keep(new Readings({ store, time, systemClock: trustedClock(time), historyDays }));

  beforeEach(() => {
    time = manualTime(BEGIN);
    store = watched(
      keep(openStore({ path: `${newFolder()}/clock.sqlite`, migrations: MIGRATIONS, time, log: silent })),
    );
    readings = open();
  });

  const add = (temperature: number, humidity = 50, battery: number | null = 90, address = KITCHEN): void =>
    readings.add(address, { temperature, humidity }, battery);

  /** The times and temperatures of the rows. */
  const rows = async (): Promise<readonly (readonly [number, number])[]> =>
    right(await store.read(['SELECT time, temperature FROM readings ORDER BY id'])()).map(
      (row) => [Number(row['time']), Number(row['temperature'])] as const,
    );

  const history = async (span: Span = {}, address = KITCHEN) =>
    right(await readings.history(address, span)());
  const refusal = async (span: Span): Promise<string> => {
    const outcome = await readings.history(KITCHEN, span)();
    return E.isLeft(outcome) ? deviceMessage(outcome.left) : 'no refusal';
  };

  it('are kept once a minute while they are the same, and at once when they differ', async () => {
    for (const [ms, temperature] of [
      [0, 20],
      [59_999, 20],
      [1, 20],
      [1_000, 20.1],
      [1_000, 20],
    ] as const) {
      time.advance(ms);
      add(temperature);
    }
    add(20, 50.1);
    add(20, 50.1, 90, BEDROOM);
    expect(await rows()).to.deep.equal([
      [BEGIN, 20],
      [BEGIN + 60_000, 20],
      [BEGIN + 61_000, 20.1],
      [BEGIN + 62_000, 20],
      [BEGIN + 62_000, 20],
      [BEGIN + 62_000, 20],
    ]);
  });

  it('are compared with the newest of 1,000 clocks', async () => {
    for (let index = 0; index <= 1_000; index++) add(20, 50, 90, `clock ${index}`);
    add(20, 50, 90, 'clock 1000');
    expect(await rows()).to.have.length(1_001);
    add(20, 50, 90, 'clock 0');
    expect(await rows()).to.have.length(1_002);
  });

  it('are kept after the time of day has jumped back', async () => {
    let jump = 0;
    const date = (): Date => new Date(BEGIN + jump);
    const jumping = { ...time, date };
    readings = keep(
      new Readings({ store, time: jumping, systemClock: trustedClock(jumping), historyDays: null }),
    );
    add(20);
    jump = -DAY;
    add(20);
    expect(await rows()).to.deep.equal([
      [BEGIN, 20],
      [BEGIN - DAY, 20],
    ]);
  });

  it('are one point for each step from the start of the span, with mean, lowest and highest', async () => {
    for (const [temperature, humidity, battery] of [
      [20, 40, 91],
      [22, 44, null],
      [21, 45, 90],
    ] as const) {
      add(temperature, humidity, battery);
      time.advance(MINUTE);
    }
    time.advance(2 * MINUTE);
    add(-3.5, 99.9, null);
    add(30, 10, 5, BEDROOM);
    const [from, to] = [new Date(BEGIN), new Date(BEGIN + HOUR)];
    expect(await history({ from, to })).to.deep.equal([
      {
        time: iso(BEGIN),
        temperature: { mean: 21, min: 20, max: 22 },
        humidity: { mean: 43.8, min: 40, max: 45 },
        battery: 90,
      },
      {
        time: iso(BEGIN + 5 * MINUTE),
        temperature: { mean: -3.5, min: -3.5, max: -3.5 },
        humidity: { mean: 99.9, min: 99.9, max: 99.9 },
        battery: null,
      },
    ]);
    expect((await history({ from, to, step: 60 })).map((point) => point.time)).to.deep.equal(
      [0, 1, 2, 5].map((minute) => iso(BEGIN + minute * MINUTE)),
    );
  });

  describe('in steps, whose mean is by time,', () => {
    const at = (minute: number): Date => new Date(BEGIN + minute * MINUTE);
    const means = async (span: Span): Promise<readonly number[]> =>
      (await history(span)).map((point) => point.temperature.mean);

    it('gives a restless hour the weight of a still one', async () => {
      for (let minute = 0; minute < 60; minute++) {
        add(20);
        time.advance(MINUTE);
      }
      for (let second = 0; second < 3_600; second++) {
        add(second % 2 === 0 ? 29 : 31);
        time.advance(1_000);
      }
      expect(await means({ from: at(0), to: at(120), step: 7_200 })).to.deep.equal([25]);
    });

    it('begins with the reading before a step, and ends with the step', async () => {
      for (const [temperature, secs] of [
        [10, 90],
        [40, 60],
        [20, 30],
      ] as const) {
        add(temperature);
        time.advance(secs * 1_000);
      }
      // 10 for 60 s; 10 for 30 s and 40 for 30 s; 40 for 30 s and 20 for 30 s.
      expect(await means({ from: at(0), to: at(3), step: 60 })).to.deep.equal([10, 25, 30]);
      // Readings before the span do not count.
      expect(await means({ from: at(1), to: at(3), step: 60 })).to.deep.equal([40, 30]);
    });

    it('lies between the minimum and the maximum of a step, also at its beginning', async () => {
      add(20);
      time.advance(80_000);
      add(25);
      const [, point] = await history({ from: at(0), to: at(2), step: 60 });
      expect(point?.temperature).to.include({ min: 20, max: 25 });
      expect(point?.temperature.mean).to.be.within(20, 25);
    });

    it('holds a reading for five minutes at most', async () => {
      add(10);
      time.advance(20 * MINUTE);
      add(40);
      time.advance(MINUTE);
      expect(await means({ from: at(0), to: at(21), step: 3_600 })).to.deep.equal([15]);
    });

    it('across the pieces in which a long span is read', async () => {
      for (let hours = 0; hours < 72; hours++) {
        add(hours);
        time.advance(HOUR);
      }
      const span = { from: at(0), to: at(72 * 60) };
      expect(await means({ ...span, step: 3_600 })).to.deep.equal(
        Array.from({ length: 72 }, (_, hours) => hours),
      );
      expect(await means({ ...span, step: 50_000 })).to.deep.equal([6.5, 20.5, 34.5, 48.5, 62.5, 70.5]);
    });
  });

  it('include those at the start of a span, and not those at its end', async () => {
    add(20);
    time.advance(MINUTE);
    add(21);
    const span = { from: new Date(BEGIN), to: new Date(BEGIN + MINUTE) };
    expect(await history(span))
      .to.have.length(1)
      .and.have.nested.property('[0].temperature.max', 20);
    expect(await history({ from: span.to, to: span.from })).to.deep.equal([]);
  });

  it('are those of the last day unless a span is given', async () => {
    add(20);
    time.advance(MINUTE);
    add(21);
    time.advance(DAY - 1);
    expect((await history()).map((point) => point.temperature.mean)).to.deep.equal([21]);
  });

  describe('of a long span', () => {
    const to = new Date(BEGIN);
    const daysBefore = (days: number): Span => ({ from: new Date(BEGIN - days * DAY), to });

    it('have as long a step as the number of points allows', async () => {
      add(20);
      time.advance(43 * MINUTE);
      add(21);
      const span = { from: new Date(BEGIN), to: new Date(BEGIN + 60 * DAY) };
      // 60 days in 2,000 points: 2,592 s.
      expect((await history(span)).map((point) => point.time)).to.deep.equal([iso(BEGIN)]);
      time.advance(12_000);
      add(22);
      expect((await history(span)).map((point) => point.time)).to.deep.equal([
        iso(BEGIN),
        iso(BEGIN + 2_592_000),
      ]);
    });

    it('are refused if they are more than 2,000 points', async () => {
      expect(await history({ ...daysBefore(5), step: 216 })).to.deep.equal([]);
      expect(await refusal({ ...daysBefore(5), step: 215 })).to.equal(
        'step must be at least 216 for a span of 432000 s, got 215: an answer has at most 2000 points',
      );
      expect(await history(daysBefore(2_000))).to.deep.equal([]);
      expect(await refusal(daysBefore(2_001))).to.equal(
        `from must be at most 2000 days before to, got ${iso(BEGIN - 2_001 * DAY)}: an answer has at most 2000 points`,
      );
    });
  });

  it('are thinned to the first of each minute after 30 days, clock by clock', async () => {
    for (const temperature of [20, 21, 22]) {
      add(temperature);
      add(temperature, 50, 90, BEDROOM);
      time.advance(25_000);
    }
    time.advance(30 * DAY - 75_000);
    expect(await rows()).to.have.length(6);
    time.advance(HOUR);
    await store.idle();
    add(23);
    const thinned = [
      [BEGIN, 20],
      [BEGIN, 20],
    ] as const;
    expect((await rows()).slice(0, 2)).to.deep.equal(thinned);
    expect((await rows()).map(([, temperature]) => temperature)).to.deep.equal([20, 20, 23]);
  });

  it('stay for ever by default, and go after the days that are set', async () => {
    add(20);
    time.advance(MINUTE);
    add(21);
    time.advance(40 * DAY);
    expect(await rows()).to.have.length(2);
    await store.idle();
    expect(await rows()).to.have.length(2);
    open(41);
    time.advance(DAY);
    await store.idle();
    expect(await rows()).to.deep.equal([[BEGIN + MINUTE, 21]]);
    time.advance(HOUR);
    await store.idle();
    expect(await rows()).to.deep.equal([]);
  });

  it('are deleted when their clock is forgotten, and then kept again at once; others stay', async () => {
    add(20);
    add(21, 50, 90, BEDROOM);
    expect(right(await readings.forget(KITCHEN)())).to.equal(1);
    expect((await rows()).map(([, temperature]) => temperature)).to.deep.equal([21]);
    add(20);
    expect(await rows()).to.have.length(2);
  });
});
