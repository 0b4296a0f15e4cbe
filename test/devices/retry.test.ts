import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { openAutoConnect } from '../../src/devices/auto-connect.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { retry } from '../../src/devices/retry.js';
import type { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { silent } from '../support/log.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';
const OTHER = 'D1:CE:00:00:00:02';

const timeout: DeviceError = { _tag: 'Timeout', address: ADDRESS, operation: 'the connect', ms: 1 };
const absent: readonly DeviceError[] = [
  { _tag: 'NotFound', address: ADDRESS },
  { _tag: 'NotConnected', address: ADDRESS, cause: 'lost' },
  { _tag: 'SessionNotFound', id: 'id' },
  { _tag: 'Closed', address: ADDRESS },
];

describe('Retrying', () => {
  let time: ManualTime;
  let radio: FakeRadio;
  let die: FakeDie;
  let controller: AbortController;
  /** The outcomes of the next attempts; later attempts end with `timeout`. */
  let outcomes: E.Either<DeviceError, string>[];
  /** The time of each attempt. */
  let attempts: number[];
  let random: number;

  beforeEach(() => {
    time = manualTime();
    radio = new FakeRadio(time);
    die = radio.add(ADDRESS);
    controller = new AbortController();
    outcomes = [];
    attempts = [];
    random = 0.5;
  });

  const options = () => ({
    ...{ radio, time, random: () => random, log: silent, address: ADDRESS, signal: controller.signal },
  });

  const start = (): Promise<string | undefined> =>
    retry(() => {
      attempts.push(time.now());
      const [outcome = E.left(timeout)] = outcomes.splice(0, 1);
      return Promise.resolve(outcome);
    }, options())();

  /** Advances the time in steps short enough for the times of the attempts. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) await time.pass(250);
  };

  const advertise = (device = die): Promise<void> => {
    radio.advertise(device);
    return otherTurns();
  };

  const stop = async (retrying: Promise<unknown>): Promise<void> => {
    const { length } = attempts;
    controller.abort();
    expect(await retrying).to.equal(undefined);
    expect(attempts).to.have.lengthOf(length);
    expect([time.pending, radio.listeners.size]).to.deep.equal([0, 0]);
  };

  it('pauses a second, then twice as long each time, and half a minute at most', async () => {
    const retrying = start();
    await pass(100_000);
    expect(attempts).to.deep.equal([1, 3, 7, 15, 31, 61, 91].map((seconds) => seconds * 1_000));
    await stop(retrying);
  });

  for (const [chance, first] of [
    [0, 750],
    [1, 1_250],
  ] as const) {
    it(`varies a pause of a second: ${first} ms for the random number ${chance}`, async () => {
      random = chance;
      const retrying = start();
      await time.pass(first - 1);
      expect(attempts).to.deep.equal([]);
      await time.pass(1);
      expect(attempts).to.deep.equal([first]);
      await stop(retrying);
    });
  }

  it('ends with the first success', async () => {
    outcomes = [E.left(timeout), E.right('linked')];
    const retrying = start();
    await pass(3_000);
    expect(await retrying).to.equal('linked');
    expect(attempts).to.deep.equal([1_000, 3_000]);
    expect([time.pending, radio.listeners.size]).to.deep.equal([0, 0]);
  });

  it('begins an attempt at once when the device advertises, but not when another device does', async () => {
    const retrying = start();
    await advertise(radio.add(OTHER));
    expect(attempts).to.deep.equal([]);
    await advertise();
    expect(attempts).to.deep.equal([0]);
    await stop(retrying);
  });

  it('ignores advertisements of a device in range that failed for a quarter of the pause', async () => {
    const retrying = start();
    await advertise();
    time.advance(499);
    await advertise();
    expect(attempts).to.deep.equal([0]);
    time.advance(1);
    await advertise();
    expect(attempts).to.deep.equal([0, 500]);
    await stop(retrying);
  });

  for (const failure of absent) {
    it(`does not ignore advertisements after ${failure._tag}`, async () => {
      outcomes = [E.left(failure)];
      const retrying = start();
      await advertise();
      await advertise();
      expect(attempts).to.deep.equal([0, 0]);
      await stop(retrying);
    });
  }

  it('makes no attempt once it is aborted, not even the first', async () => {
    controller.abort();
    const retrying = start();
    await pass(1_250);
    await stop(retrying);
    expect(attempts).to.deep.equal([]);
  });

  it('makes no attempt if it is aborted as soon as a pause has ended', async () => {
    const retrying = start();
    time.advance(1_000);
    await stop(retrying);
    expect(attempts).to.deep.equal([]);
  });

  it('makes no further attempt if it is aborted during one', async () => {
    const retrying = retry(() => {
      attempts.push(time.now());
      controller.abort();
      return Promise.resolve(E.left(timeout));
    }, options())();
    await pass(5_000);
    await stop(retrying);
    expect(attempts).to.deep.equal([1_000]);
  });

  it('can be stopped after it was stopped and begun again at once', async () => {
    const automatic = openAutoConnect(options());
    const connect: Parameters<typeof automatic.add>[1] = () => () => {
      attempts.push(time.now());
      return Promise.resolve(E.left(timeout));
    };
    automatic.add(ADDRESS, connect);
    automatic.stop(ADDRESS);
    automatic.add(ADDRESS, connect);
    await otherTurns();
    expect(automatic.stop(ADDRESS)).to.equal(true);
    await time.pass(60_000);
    expect([attempts, time.pending, radio.listeners.size]).to.deep.equal([[], 0, 0]);
  });
});
