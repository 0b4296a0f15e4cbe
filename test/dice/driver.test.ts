import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import type { DieDriver } from '../../src/dice/port/driver.js';
import { goDice } from '../../src/dice/drivers/godice/driver.js';
import { Session } from '../../src/dice/session.js';
import { initialState, noOffset } from '../../src/dice/state.js';
import { advertisementOf, LIMITS, RED } from '../support/dice-fixture.js';
import { FakeRadio } from '../support/fake-radio.js';
import { silent } from '../support/log.js';
import { steppedTime } from '../support/stepped-time.js';

const { signal } = new AbortController();
const black = { r: 0, g: 0, b: 0 };

describe('Dice of a maker with few capabilities', () => {
  const plain: DieDriver = { ...goDice, model: 'PlainDie' };
  const limited = { type: 'd20', leds: ['led1'], pulse: null, setTaps: null } as const;
  let session: Session;

  const rightOf = async <A>(task: TE.TaskEither<DeviceError, A>): Promise<A> => {
    const outcome = await task();
    if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
    return outcome.right;
  };

  beforeEach(async () => {
    const radio = new FakeRadio();
    const time = steppedTime();
    radio.add(RED);
    const link = await rightOf(radio.connect(RED, goDice.profile(advertisementOf()), signal));
    const options = { askColour: false, leds: null, taps: null, time, log: silent, answerMs: 1000, signal };
    const die = await rightOf(goDice.open(link, options));
    session = new Session(
      { ...die, ...limited },
      {
        ...{
          address: RED,
          radio,
          time,
          random: () => 0.5,
          log: silent,
          reconnectMs: () => null,
          label: () => null,
          id: 'id',
        },
        ...{
          waits: LIMITS,
          state: initialState(plain, limited, { diceType: 'd6', offset: noOffset }, advertisementOf()),
        },
        reconnect: () => () => Promise.resolve(E.left({ _tag: 'Aborted' })),
        emit: () => undefined,
        changed: () => undefined,
        onSessionEnded: () => undefined,
      },
    );
  });

  afterEach(() => session.end());

  const cannot = 'is not possible: no PlainDie die can do it';
  const refusals: readonly (readonly [string, string, () => TE.TaskEither<DeviceError, unknown>])[] = [
    ['pulse', cannot, () => session.pulse({ count: 1, onMs: 10, offMs: 10, colour: black, leds: 'both' })],
    ['taps', cannot, () => session.setTaps({ single: true })],
    [
      'calibrate',
      'is not needed: PlainDie dice measure their faces themselves',
      () => session.calibrate(signal),
    ],
    ['led2', cannot, () => session.setLeds({ led1: black, led2: black })],
  ];
  for (const [name, reason, request] of refusals) {
    it(`refuse ${name} by name`, async () => {
      expect(await request()()).to.deep.equal(
        E.left({
          ...{ _tag: 'ParseError', code: 'not_supported' },
          message: `${name} ${reason}`,
        }),
      );
    });
  }

  it('set the LED that they have', async () => {
    expect(await rightOf(session.setLeds({ led1: { ...black, r: 255 } }))).to.deep.equal({
      led1: { ...black, r: 255 },
      led2: black,
    });
  });
});
