import * as E from 'fp-ts/lib/Either.js';
import { flow, pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { codecs, decode, type ServerError } from '../src/http/index.js';
import type { ActionCodecs, Device, Surroundings } from './device.js';
import type { Peripheral } from './peripheral/index.js';

/** What a client may write, read by a codec whose every part is named by the end of "must be …". */
type Codec<A> = t.Type<A, unknown>;

/** A kind of device as it is written: what its devices take, and how one is made. */
export interface DeviceKindOptions<Start, C extends ActionCodecs, Temper> {
  /** The first half of its devices' usual addresses: `D1:CE:00`. */
  readonly addressPrefix: string;
  readonly addressType: 'public' | 'random';
  /** The start state. Every field may be left out. */
  readonly start: Codec<Start>;
  /** The fields of each action, by the `type` that names it. */
  readonly actions: C;
  /** How a device may misbehave. Every field may be left out. */
  readonly temper: Codec<Temper>;
  readonly make: (start: Start, temper: Temper, surroundings: Surroundings) => Device<C, Temper>;
}

/** A device that reads itself what a client wrote. Left: a sentence about that, or why it cannot be done. */
export interface MadeDevice {
  readonly peripheral: Peripheral;
  model(): JsonRecord;
  act(action: unknown): E.Either<ServerError, void>;
  setTemper(temper: unknown): E.Either<ServerError, void>;
  /** Releases timers and controller. */
  close(): void;
}

/** Resolves when the device is on the air. */
export type MakeDevice = (surroundings: Surroundings) => Promise<MadeDevice>;

/** A kind of device that the world can hold, whatever its devices take. */
export interface DeviceKind {
  readonly addressPrefix: string;
  readonly addressType: 'public' | 'random';
  /** Reads a start state, `temper` included. Left: a sentence about what the client wrote. */
  readonly prepare: (given: unknown) => E.Either<ServerError, MakeDevice>;
}

const DEVICE = 'the device';
const BODY = 'the body';

const done: E.Either<ServerError, void> = E.right(undefined);

/** One action: its `type` and its fields. */
const actionOf = (actions: ActionCodecs): Codec<{ readonly type: string }> =>
  codecs.tagged(
    'type',
    Object.fromEntries<Codec<{ readonly type: string }>>(
      Object.entries(actions).map(([type, fields]) => [
        type,
        t.intersection([codecs.object({ type: t.literal(type) }), fields], fields.name),
      ]),
    ),
  );

/** Makes a kind of its parts: what clients write is read here, by the kind's codecs, and nowhere else. */
export const deviceKind = <Start, C extends ActionCodecs, Temper>({
  addressPrefix,
  addressType,
  make,
  ...codecsOf
}: DeviceKindOptions<Start, C, Temper>): DeviceKind => {
  const action = actionOf(codecsOf.actions);
  const Tempered = codecs.object({ temper: codecs.withDefault(codecsOf.temper, {}) });
  const made = (device: Device<C, Temper>): MadeDevice => ({
    peripheral: device.peripheral,
    model: () => device.model(),
    act: flow(
      decode(action, BODY),
      E.chain((wanted) => device.actions[wanted.type]?.(wanted) ?? done),
    ),
    setTemper: flow(
      decode(codecsOf.temper, BODY),
      E.map((temper) => device.setTemper(temper)),
    ),
    close: () => {
      device.close();
      device.peripheral.close();
    },
  });
  return {
    addressPrefix,
    addressType,
    prepare: (given) =>
      pipe(
        E.Do,
        E.bind('start', () => pipe(given, decode(codecsOf.start, DEVICE))),
        E.bind('tempered', () => pipe(given, decode(Tempered, DEVICE))),
        E.map(({ start, tempered: { temper } }) => async (surroundings) => {
          const device = make(start, temper, surroundings);
          await device.peripheral.ready;
          return made(device);
        }),
      ),
  };
};
