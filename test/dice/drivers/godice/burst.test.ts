import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { ALONE } from '../../../../src/devices/neighbours.js';
import type { BleError } from '../../../../src/ble/ports.js';
import { DEFAULT_LIMITS } from '../../../../src/dice/config.js';
import type { DiceEvent } from '../../../../src/dice/contract.js';
import type { Received, Report } from '../../../../src/dice/port/driver.js';
import {
  awaitingBurst,
  classify,
  NotificationBuffer,
  OPENING,
} from '../../../../src/dice/drivers/godice/burst.js';
import type { Acceleration, Command, Notification } from '../../../../src/protocols/godice/index.js';
import { Sessions } from '../../../../src/dice/sessions.js';
import { applyReport, faceUp } from '../../../../src/dice/state.js';
import { startOf } from '../../../support/dice-fixture.js';
import { FakeDie } from '../../../support/fake-die.js';
import { FakeRadio } from '../../../support/fake-radio.js';
import { otherTurns } from '../../../support/hci-host.js';
import { silent } from '../../../support/log.js';
import { manualTime } from '../../../support/manual-time.js';
import { rows } from '../../../support/rows.js';

const ADDRESS = 'D1:CE:00:00:00:01';
const BURST_MS = 1_000;
/** The number of commands: Initialise, the colour, the LEDs, both taps. */
const COMMANDS = 5;

type Sent = Exclude<Notification, { _tag: 'Calibration' }>;

const axis = fc.constantFrom(-64, 0, 64);
/** Makes plain objects, since `isDeepStrictEqual` compares prototypes too. */
const plain = { noNullPrototype: true };
const acceleration: fc.Arbitrary<Acceleration> = fc.record({ x: axis, y: axis, z: axis }, plain);
const anyNotification: fc.Arbitrary<Sent> = fc.oneof(
  fc.record(
    { _tag: fc.constantFrom('Stable', 'TiltStable', 'FakeStable', 'MoveStable'), acceleration },
    plain,
  ),
  fc.record({ _tag: fc.constant('Battery'), level: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ _tag: fc.constant('Charging'), on: fc.boolean() }),
  fc.record({ _tag: fc.constant('Colour'), colour: fc.constantFrom('red', 'blue') }),
  fc.record({ _tag: fc.constantFrom('RollStart', 'Tap', 'DoubleTap') }),
);
const some = fc.array(anyNotification, { maxLength: 5 });

/** The notifications of a die at each step of a reconnect. */
interface Script {
  readonly subscribed: readonly Sent[];
  /** At each command: initialise, the request for the colour, LEDs and taps. */
  readonly commanded: readonly (readonly Sent[])[];
  /** After the last command, or before LEDs and taps if the burst is not complete. */
  readonly awaited: readonly Sent[];
  readonly listenedTo: readonly Sent[];
  /** After the limit of an answer. */
  readonly late: readonly Sent[];
}

const script: fc.Arbitrary<Script> = fc.record({
  subscribed: some,
  commanded: fc.array(some, { minLength: COMMANDS, maxLength: COMMANDS }),
  awaited: some,
  listenedTo: some,
  late: some,
});

/** A die that is silent until `follows`, and then follows a script. */
class TalkingDie extends FakeDie {
  follows = false;
  /** All its notifications, in order. */
  readonly said: Sent[] = [];
  override burst = [];
  override silent = new Set<Command['_tag']>(['Battery', 'Colour']);

  /** Its name does not contain its colour, which is requested. */
  constructor(
    private readonly script: Script,
    radio: FakeRadio,
  ) {
    super(ADDRESS, radio, { name: 'GoDice_Proto_Test' });
  }

  override say(...notifications: readonly Sent[]): void {
    this.said.push(...notifications);
    super.say(...notifications);
  }

  override async subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>> {
    const done = await super.subscribed(characteristic, listener);
    if (this.follows) this.say(...this.script.subscribed);
    return done;
  }

  override async written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>> {
    const done = await super.written(characteristic, value);
    if (this.follows) this.say(...(this.script.commanded[this.commands.length - 1] ?? []));
    return done;
  }
}

const isRest = ({ _tag }: Sent): boolean => _tag.endsWith('Stable');

/** Whether the notifications have all parts of a burst. */
const isOver = (said: readonly Sent[]): boolean =>
  ['Battery', 'Charging', 'Colour'].every((kind) => said.some(({ _tag }) => _tag === kind));

const lastMotion = (said: readonly Sent[]): Sent | undefined =>
  said.findLast((each) => isRest(each) || each._tag === 'RollStart');

/** The rule of the burst: the reports after initialising, and in time, that make events. */
const newsOf = (wasRolling: boolean, said: readonly Sent[]): readonly Sent[] =>
  said.filter((each, index) => {
    const before = said.slice(0, index);
    if (isRest(each)) {
      const hasRolled = wasRolling || before.some(({ _tag }) => _tag === 'RollStart');
      const hasRested = hasRolled || before.some(isRest);
      if (!hasRested) return false;
      return isOver(before) || !isDeepStrictEqual(lastMotion(before), each);
    }
    if (['RollStart', 'Tap', 'DoubleTap'].includes(each._tag)) return true;
    return before.some(({ _tag }) => _tag === each._tag);
  });

/** Connects a die, sets its LEDs and taps, loses it, and makes it follow the script when it is back. */
const play = async (parts: Script) => {
  const time = manualTime();
  const radio = new FakeRadio();
  const die = radio.put(new TalkingDie(parts, radio));
  const events: DiceEvent[] = [];
  const sessions = new Sessions({
    radio,
    linkedNeighbour: ALONE,
    memory: { labelOf: () => null, shellOf: () => undefined },
    limits: DEFAULT_LIMITS,
    time,
    random: () => 0.5,
    newId: () => 'id',
    log: silent,
    changed: () => undefined,
    dismissed: () => undefined,
    emit: (_origin, event) => events.push(event),
  });
  const { signal } = new AbortController();
  const connecting = sessions.connect({ address: ADDRESS }, signal)();
  await otherTurns();
  time.advance(BURST_MS);
  const session = await connecting;
  if (E.isLeft(session)) throw new Error(session.left._tag);
  time.advance(DEFAULT_LIMITS.answer);
  await session.right.setLeds({ led1: { r: 1, g: 2, b: 3 } })();
  await session.right.setTaps({ single: true })();

  die.follows = true;
  die.commands = [];
  die.lose();
  await otherTurns();
  radio.advertise(die);
  await otherTurns();
  die.say(...parts.awaited);
  await time.pass(BURST_MS);
  die.say(...parts.listenedTo);
  time.advance(DEFAULT_LIMITS.answer);
  die.say(...parts.late);
  const { status } = session.right;
  expect(status.connected).to.equal(true);
  // A die is asked for its battery level if its burst lacks it.
  expect(die.commands.filter(({ _tag }) => _tag !== 'Battery')).to.have.lengthOf(COMMANDS);
  await sessions.close();
  expect(time.pending).to.equal(0);
  return { said: die.said, events: events.slice(0, -1), status };
};

describe('The notifications of a new link', () => {
  it('lead to the same state and to events in order, at any step', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (parts) => {
        const { said, events, status } = await play(parts);
        const inTime = said.slice(parts.subscribed.length, said.length - parts.late.length);
        const news = new Set([
          ...parts.subscribed,
          ...newsOf(lastMotion(parts.subscribed)?._tag === 'RollStart', inTime),
          ...parts.late,
        ]);
        let state = startOf('d6');
        const expected: DiceEvent[] = [{ kind: 'Disconnected' }, { kind: 'Reconnected' }];
        for (const notification of said) {
          const [next, event] = applyReport(state, notification);
          state = next;
          if (event !== null && news.has(notification)) expected.push(event);
        }
        expect(events).to.deep.equal(expected);
        expect(status).to.include({
          battery_level: state.battery,
          color: state.colour,
          charging: state.charging,
          rolling: state.rolling,
          face: faceUp(state),
        });
      }),
      { numRuns: 200 },
    );
  });

  it('are the same for a listener that is added at any time', () => {
    const anything = fc.record({ notification: anyNotification, isResponse: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 12 }),
        fc.nat(12),
        fc.nat(12),
        (said, initialisedAt, listenedAt) => {
          const run = (listenAt: number): readonly Received[] => {
            const buffer = new NotificationBuffer();
            const received: Received[] = [];
            said.forEach((each, index) => {
              if (index === Math.min(initialisedAt, said.length - 1)) buffer.initialise(true);
              if (index === listenAt) buffer.listen((each) => received.push(each));
              buffer.receive(each.notification, each.isResponse);
            });
            if (listenAt >= said.length) buffer.listen((each) => received.push(each));
            return received;
          };
          expect(run(listenedAt)).to.deep.equal(run(0));
        },
      ),
    );
  });
});

const BATTERY: Report = { _tag: 'Battery', level: 80 };
const CHARGING: Report = { _tag: 'Charging', on: false };
const ON_ONE = { x: -64, y: 0, z: 0 };
const REPORTS: Readonly<Record<string, Report>> = {
  battery: BATTERY,
  charging: CHARGING,
  colour: { _tag: 'Colour', colour: 'red' },
  roll: { _tag: 'RollStart' },
  tap: { _tag: 'Tap' },
  taps: { _tag: 'DoubleTap' },
  stable: { _tag: 'Stable', acceleration: ON_ONE },
  fake: { _tag: 'FakeStable', acceleration: ON_ONE },
  tilt: { _tag: 'TiltStable', acceleration: ON_ONE },
  move: { _tag: 'MoveStable', acceleration: ON_ONE },
  six: { _tag: 'Stable', acceleration: { x: 64, y: 0, z: 0 } },
};

describe('The burst of a die', () => {
  /** The phase after each report, with `!` if the report makes an event. */
  const phases = (steps: string): string => {
    let phase = OPENING;
    const after: string[] = [];
    for (const step of steps.split(' ')) {
      const report = REPORTS[step];
      if (report === undefined) phase = awaitingBurst(phase, step === 'initialise+colour');
      else {
        const [next, makesEvent] = classify(phase, report);
        phase = next;
        after.push(`${phase._tag}${makesEvent ? '!' : ''}`);
      }
    }
    return after.join(' ');
  };

  for (const [title, steps, expected] of rows(
    3,
    `
    has each kind once, and then makes events  | initialise+colour battery charging colour stable battery | Burst Burst Burst Live Live!
    may have a fake rest                       | initialise+colour battery charging colour fake roll      | Burst Burst Burst Live Live!
    may have a rest that leans                 | initialise+colour battery charging colour tilt stable    | Burst Burst Burst Live Live!
    may have a rest after a move               | initialise+colour battery charging colour move move      | Burst Burst Burst Live Live!
    has a colour only if it was requested      | initialise colour battery charging stable                | Burst! Burst Burst Live
    has no rest once a roll has started        | initialise tap taps roll stable battery battery charging | Burst! Burst! Burst! Burst! Burst Burst! Live
    has the end of an earlier roll, once       | roll initialise stable battery stable charging           | Opening! Burst! Burst Burst Live
    has such an end, once, even after a tap     | roll tap initialise stable                               | Opening! Opening! Burst!
    has a rest if an earlier roll has ended    | roll stable initialise stable                            | Opening! Opening! Burst
    ignores a rest that is the same            | initialise stable six six stable                         | Burst Burst! Burst Burst!
    ignores such a rest between other parts   | initialise stable battery stable six                     | Burst Burst Burst Burst!
    leaves out no report before it begins      | battery stable roll                                      | Opening! Opening! Opening!
    `,
  ))
    it(title, () => expect(phases(steps)).to.equal(expected));

  it('ends for all remaining listeners, and for later listeners at once', () => {
    const buffer = new NotificationBuffer();
    const calls: string[] = [];
    buffer.whenLive(() => calls.push('first'));
    const forget = buffer.whenLive(() => calls.push('forgotten'));
    buffer.initialise(true);
    forget();
    expect(calls).to.deep.equal([]);
    buffer.endBurst();
    buffer.receive(BATTERY, false);
    buffer.endBurst();
    buffer.whenLive(() => calls.push('late'));
    expect(calls).to.deep.equal(['first', 'late']);
  });

  it('begins when the die is initialised, has no response, and is delivered once', () => {
    const buffer = new NotificationBuffer();
    const received: Received[] = [];
    buffer.receive(CHARGING, false);
    buffer.listen((each) => received.push(each));
    buffer.initialise(false);
    for (const isResponse of [true, false, false]) buffer.receive(BATTERY, isResponse);
    expect(received).to.deep.equal([
      { report: CHARGING, makesEvent: true },
      { report: BATTERY, makesEvent: false },
      { report: BATTERY, makesEvent: false },
      { report: BATTERY, makesEvent: true },
    ]);
  });
});
