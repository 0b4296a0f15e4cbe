import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import { ledControl } from '../../src/dice/leds.js';
import type { Leds, Rgb } from '../../src/protocols/dice-values.js';
import { otherTurns } from '../support/hci-host.js';

const grey = (value: number): Rgb => ({ r: value, g: value, b: value });
const dark = grey(0);

describe('the LEDs of a die', () => {
  let writes: Leds[];
  let acknowledge: ((outcome: E.Either<DeviceError, void>) => void)[];
  let leds: ReturnType<typeof ledControl>;

  beforeEach(() => {
    writes = [];
    acknowledge = [];
    leds = ledControl((colours) => () => {
      writes.push(colours);
      return new Promise((resolve) => acknowledge.push(resolve));
    });
  });

  const next = (outcome: E.Either<DeviceError, void> = E.right(undefined)): void =>
    acknowledge.shift()?.(outcome);
  const failure: DeviceError = { _tag: 'Refused', address: 'D1:CE:00:00:00:01', request: 'the LEDs' };

  it('join all changes during a write in one write, in which the last colour wins', async () => {
    const first = leds.set({ led1: grey(1) })();
    await otherTurns();
    const later = [
      leds.set({ led1: grey(2) })(),
      leds.set({ led2: grey(3) })(),
      leds.set({ led1: grey(4) })(),
    ];
    next();
    expect(await first).to.deep.equal(E.right({ led1: grey(1), led2: dark }));
    await otherTurns();
    next();
    for (const outcome of await Promise.all(later)) {
      expect(outcome).to.deep.equal(E.right({ led1: grey(4), led2: grey(3) }));
    }
    expect(writes).to.deep.equal([
      { led1: grey(1), led2: dark },
      { led1: grey(4), led2: grey(3) },
    ]);
  });

  it('stay as they were when a write fails', async () => {
    const fine = leds.set({ led1: grey(1) })();
    await otherTurns();
    next();
    await fine;
    const failed = leds.set({ led1: grey(9) })();
    await otherTurns();
    const after = leds.set({ led2: grey(2) })();
    next(E.left(failure));
    expect(await failed).to.deep.equal(E.left(failure));
    await otherTurns();
    next();
    expect(await after).to.deep.equal(E.right({ led1: grey(1), led2: grey(2) }));
    expect(leds.lit).to.deep.equal({ led1: grey(1), led2: grey(2) });
  });

  it('are set again after a write that threw', async () => {
    let broken = true;
    const fragile = ledControl(() => () => {
      if (broken) throw new Error('a defect');
      return Promise.resolve(E.right(undefined));
    });
    const both = [fragile.set({ led1: grey(1) })(), fragile.set({ led2: grey(2) })()];
    for (const outcome of await Promise.allSettled(both)) expect(outcome.status).to.equal('rejected');
    broken = false;
    expect(await fragile.set({ led1: grey(3) })()).to.deep.equal(E.right({ led1: grey(3), led2: dark }));
  });

  it('are not known until they are set', () => {
    expect(leds.lit).to.equal(null);
  });
});
