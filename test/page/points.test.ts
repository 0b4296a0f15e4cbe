import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { HistoryPoint } from '../../src/clock/contract.js';
import {
  humidityIn,
  joined,
  MOST_POINTS,
  temperatureIn,
  withPoint,
  type Point,
} from '../../src/page/clocks/points.js';

const DAY_SECS = 86_400;

const at = (secs: number, temperature: number | null, humidity = 50): Point => ({
  at: secs * 1_000,
  reading: temperature === null ? null : { temperature, humidity },
});

const pointsOf = (all: readonly Point[]): readonly Point[] => all.reduce<readonly Point[]>(withPoint, []);

/** Reports every ten seconds for `secs`, each reading different from the last. */
const reports = (secs: number): readonly Point[] =>
  Array.from({ length: secs / 10 }, (_, n) => at(n * 10, 20 + (n % 7) / 10));

describe('The readings of a curve', () => {
  it('are all kept up to the limit', () => {
    const all = reports(1_000);
    expect(pointsOf(all)).to.deep.equal(all);
  });

  it('are a bounded number after two days, spread over the second day', () => {
    const points = pointsOf(reports(2 * DAY_SECS));
    expect(points).to.have.lengthOf.within(MOST_POINTS / 2, MOST_POINTS);
    const secs = points.map((point) => point.at / 1_000);
    const steps = secs.slice(1).map((each, index) => each - (secs[index] ?? 0));
    expect(secs[0]).to.be.within(DAY_SECS, DAY_SECS * 1.02);
    expect(secs.at(-1)).to.equal(2 * DAY_SECS - 10);
    expect(Math.max(...steps)).to.be.below(DAY_SECS / 50);
  });

  it('keep their order, extremes and gaps when they are thinned', () => {
    const special = new Map([
      [5_000, at(5_000, -9.5)],
      [9_000, at(9_000, 41, 12)],
      [13_000, at(13_000, 20, 99)],
      [17_000, at(17_000, null)],
    ]);
    const points = pointsOf(reports(20_000).map((point) => special.get(point.at / 1_000) ?? point));
    expect(points).to.have.lengthOf.at.most(MOST_POINTS);
    expect(points).to.include.members([...special.values()]);
    const times = points.map((point) => point.at);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
  });

  it('keep the first and the last of equal readings', () => {
    const same = [at(0, 21), at(10, 21), at(20, 21), at(30, 22)];
    expect(pointsOf(same)).to.deep.equal([at(0, 21), at(20, 21), at(30, 22)]);
  });
});

describe('The kept readings of a curve', () => {
  const step = (minute: number, mean: number): HistoryPoint => ({
    time: new Date(minute * 60_000).toISOString(),
    temperature: { mean, min: mean - 1, max: mean + 1 },
    humidity: { mean: 50, min: 50, max: 50 },
    battery: null,
  });
  const temperatures = (points: readonly Point[]): unknown =>
    points.map(({ at, reading, low, high }) => [
      at / 60_000,
      ...[low, reading, high].map((each) => each?.temperature ?? null),
    ]);

  it('come before the live ones, with the lowest and highest values of each step', () => {
    const live = [at(720, 23), at(730, 24)];
    expect(
      temperatures(joined([step(0, 20), step(5, 21), step(10, 22), step(15, 23)], live, 300)),
    ).to.deep.equal([
      [0, 19, 20, 21],
      [5, 20, 21, 22],
      [10, 21, 22, 23],
      [12, null, 23, null],
      [730 / 60, null, 24, null],
    ]);
  });

  it('have a gap after a step that no step follows', () => {
    expect(temperatures(joined([step(0, 20), step(10, 21), step(25, 22)], [], 300))).to.deep.equal([
      [0, 19, 20, 21],
      [10, 20, 21, 22],
      [15, null, null, null],
      [25, 21, 22, 23],
    ]);
    expect(
      joined([step(0, 20)], [at(3_600, 22)], 300).map(({ reading }) => reading?.temperature ?? null),
    ).to.deep.equal([20, null, 22]);
  });
});

describe('Readings in words', () => {
  const readings = [
    [23.45, '23.5 °C', '74.2 °F'],
    [23.44, '23.4 °C', '74.2 °F'],
    [1.005, '1.0 °C', '33.8 °F'],
    [0.25, '0.3 °C', '32.5 °F'],
    [-0.04, '0.0 °C', '31.9 °F'],
    [-12.35, '-12.4 °C', '9.8 °F'],
  ] as const;
  for (const [celsius, inCelsius, inFahrenheit] of readings) {
    it(`round ${celsius} °C to ${inCelsius} and ${inFahrenheit}`, () => {
      expect([temperatureIn('C', celsius), temperatureIn('F', celsius)]).to.deep.equal([
        inCelsius,
        inFahrenheit,
      ]);
    });
  }

  it('round half a per cent of humidity up', () => {
    expect([50.5, 50.45, 0.5, 99.5].map(humidityIn)).to.deep.equal(['51 %', '50 %', '1 %', '100 %']);
  });
});
