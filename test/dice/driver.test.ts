import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../../src/devices/device-error.js';
import type { DieDriver } from '../../src/dice/port/driver.js';
import { goDice } from '../../src/dice/drivers/godice/driver.js';
import { startSession, type Session } from '../../src/dice/session.js';
import { initialState } from '../../src/dice/state.js';
import { LIMITS, RED } from '../support/dice-fixture.js';
import { FakeRadio } from '../support/fake-radio.js';
import { silent } from '../support/log.js';
import { steppedTime } from '../support/stepped-time.js';

const { signal } = new AbortController();
const black = { r: 0, g: 0, b: 0 };

describe('A maker whose dice can do little', () => {
  const plain: DieDriver = { ...goDice, model: 'PlainDie', levelOn: null };
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
    const link = await rightOf(radio.connect(RED, goDice.profile, signal));
    const options = { askColour: false, leds: null, taps: null, time, log: silent, answerMs: 1000, signal };
    const die = await rightOf(goDice.open(link, options));
    session = startSession(
      { ...die, leds: ['led1'], pulse: null, setTaps: null },
      {
        ...{ address: RED, radio, time, random: () => 0.5, log: silent, reconnectMs: null, id: 'id' },
        ...{ takenOver: undefined, waits: LIMITS, state: initialState(plain, 'd6', null, null) },
        reconnect: () => () => Promise.resolve(E.left({ _tag: 'Aborted' })),
        emit: () => undefined,
        changed: () => undefined,
        onSessionEnded: () => undefined,
        onLinkReleased: () => undefined,
      },
    );
  });

  afterEach(() => session.end());

  const refusals: readonly (readonly [string, () => TE.TaskEither<DeviceError, unknown>])[] = [
    ['pulse', () => session.pulse({ count: 1, onMs: 10, offMs: 10, colour: black, leds: 'both' })],
    ['taps', () => session.setTaps({ single: true })],
    ['calibrate', () => session.calibrate(signal)],
    ['led2', () => session.setLeds({ led1: black, led2: black })],
  ];
  for (const [name, request] of refusals) {
    it(`refuses ${name} by name`, async () => {
      expect(await request()()).to.deep.equal(
        E.left({
          ...{ _tag: 'ParseError', code: 'invalid_input' },
          message: `${name} is not possible: no PlainDie die can do it`,
        }),
      );
    });
  }

  it('sets the LED that they have', async () => {
    expect(await rightOf(session.setLeds({ led1: { ...black, r: 255 } }))).to.deep.equal({
      led1: { ...black, r: 255 },
      led2: black,
    });
  });
});
