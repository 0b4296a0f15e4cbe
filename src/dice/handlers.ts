/** The handlers of REST. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address, Radio } from '../ble/ports.js';
import type { Handlers } from '../operations/index.js';
import type { TimeSource } from '../async/time.js';
import type { AnyDiceType, Endpoints, SimulatedEndpoints } from './contract.js';
import type { DiceMemory } from './memory.js';
import { recordHandlers } from './record-handlers.js';
import { openScan } from './scan.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import type { Simulator } from './simulator.js';

interface DiceHandlersOptions {
  readonly memory: DiceMemory;
  readonly radio: Radio;
  readonly sessions: Sessions;
  readonly time: TimeSource;
  /** The default duration of a scan, ms. */
  readonly scanMs: number;
}

export const diceHandlers = ({
  memory,
  radio,
  sessions,
  time,
  scanMs,
}: DiceHandlersOptions): Handlers<Endpoints, DeviceError> => {
  const scan = openScan(radio, (address) => memory.labelOf(address));

  const connected = (id: string): TE.TaskEither<DeviceError, Session> =>
    TE.fromEither(
      pipe(
        sessions.find(id),
        E.chainFirst((session) => session.connected),
      ),
    );

  return {
    scan: ({ query: { duration_secs, detail } }, { signal }) =>
      scan({ time, ms: duration_secs === undefined ? scanMs : duration_secs * 1000, signal }, detail),
    connect: ({ body }, { signal }) =>
      pipe(
        sessions.connect(body, signal),
        TE.map(({ id }) => ({ session_id: id })),
      ),
    disconnect: ({ body: { session_id } }) =>
      pipe(
        sessions.disconnect(session_id),
        TE.map(() => ({ session_id, disconnected: true })),
      ),
    led: ({ body: { session_id, ...change } }) =>
      pipe(
        connected(session_id),
        TE.chain((session) => session.setLeds(change)),
        TE.map((leds) => ({ session_id, ...leds })),
      ),
    pulse: ({ body: { session_id, count, on_ms, off_ms, color, leds = 'both' } }) =>
      pipe(
        connected(session_id),
        TE.chain((session) => session.pulse({ count, onMs: on_ms, offMs: off_ms, colour: color, leds })),
        TE.map(() => ({ session_id, count, on_ms, off_ms, color, leds })),
      ),
    taps: ({ body: { session_id, ...change } }) =>
      pipe(
        connected(session_id),
        TE.chain((session) => session.setTaps(change)),
        TE.map((taps) => ({ session_id, ...taps })),
      ),
    calibrate: ({ body: { session_id } }, { signal }) =>
      pipe(
        connected(session_id),
        TE.chain((session) => session.calibrate(signal)),
        TE.map(({ face, offset }) => ({ session_id, face, offset })),
      ),
    battery: ({ params: { session_id } }) =>
      pipe(
        connected(session_id),
        TE.chain(({ battery }) => battery),
        TE.map((battery_level) => ({ session_id, battery_level })),
      ),
    status: ({ params: { session_id }, query: { detail } }) =>
      pipe(
        sessions.find(session_id),
        E.map((session) => (detail === undefined ? session.status : session.detailed)),
        TE.fromEither,
      ),
    sessions: () => TE.right(sessions.all.map(({ detailed }) => detailed)),
    ...recordHandlers(memory, sessions),
  };
};

export const rollHandler = (
  simulator: Simulator,
  /** The type of a die, if it is known. */
  typeOf: (address: Address) => AnyDiceType | undefined,
): Handlers<SimulatedEndpoints, DeviceError> => ({
  roll: ({ params: { address }, body: { die, face, acceleration, ending, roll_ms } }, { signal }) => {
    const type = acceleration === undefined ? typeOf(address) : undefined;
    const action = { die: die ?? type, face, acceleration, ending, roll_ms };
    return pipe(
      simulator.roll(address, action, signal),
      TE.map(() => ({ address, rolled: true })),
    );
  },
});
