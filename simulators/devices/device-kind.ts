import * as E from 'fp-ts/lib/Either.js';
import { flow, pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import { decode } from '../../src/codecs/index.js';
import type { ActionCodecs, Device, Context, PeripheralOnAir } from './device.js';
import type { DeviceError } from './device-error.js';

export type AddressType = 'public' | 'random';

/** A kind of device: the codecs of its fields, and how its devices are made. */
export interface DeviceKindOptions<Start, C extends ActionCodecs, Behaviour> {
  /** The first half of its devices' usual addresses: `D1:CE:00`. */
  readonly addressPrefix: string;
  /** The same for all devices, or derived from the start state. */
  readonly addressType: AddressType | ((start: Start) => AddressType);
  /** The start state. Every field may be left out. */
  readonly start: codecs.ClosedObject<Start>;
  /** The fields of each action, by the `type` that names it. */
  readonly actions: C;
  /** How a device may misbehave. Every field may be left out. */
  readonly behaviour: codecs.ClosedObject<Behaviour>;
  readonly make: (start: Start, behaviour: Behaviour, context: Context) => Device<C, Behaviour>;
}

/** A device that decodes the bodies of clients itself. Left: a wrong body, or a failed action. */
export interface MadeDevice {
  readonly peripheral: PeripheralOnAir;
  model(): JsonRecord;
  act(action: unknown): E.Either<DeviceError, void>;
  setBehaviour(behaviour: unknown): E.Either<DeviceError, void>;
  /** Releases timers and controller. */
  close(): void;
}

/** Resolves when the device is on the air. */
export type MakeDevice = (context: Context) => Promise<MadeDevice>;

/** A device whose start state is decoded, and which is not made yet. */
export interface PreparedDevice {
  readonly addressType: AddressType;
  readonly make: MakeDevice;
}

/** A kind of device that the world can hold, whatever the types of its values. */
export interface DeviceKind {
  readonly addressPrefix: string;
  /** The names of the fields that `prepare` reads. */
  readonly fields: readonly string[];
  /** The schemas of its devices: a start state with the behaviour, an action, a behaviour. */
  readonly schemas: Readonly<Record<'start' | 'action' | 'behaviour', codecs.JsonSchema>>;
  /** Reads a start state, `behaviour` included, and ignores other fields. Left: a message about the wrong field. */
  readonly prepare: (body: unknown) => E.Either<codecs.ParseError, PreparedDevice>;
}

const DEVICE = 'the device';
const BODY = 'the body';

const done: E.Either<DeviceError, void> = E.right(undefined);

/** Makes a kind of device. Only this decodes the bodies of clients, by the codecs of the kind. */
export const deviceKind = <Start, C extends ActionCodecs, Behaviour>({
  addressPrefix,
  addressType,
  make,
  ...codecsOf
}: DeviceKindOptions<Start, C, Behaviour>): DeviceKind => {
  const Typed = codecs.object({ type: codecs.oneOf(Object.keys(codecsOf.actions)) });
  const fieldsOf = (type: string): t.Decoder<unknown, t.TypeOf<C[string]>> =>
    codecsOf.actions[type] ?? t.never;
  const withBehaviour = { behaviour: codecs.withDefault(codecsOf.behaviour, {}) };
  const made = (device: Device<C, Behaviour>): MadeDevice => ({
    peripheral: device.peripheral,
    model: () => device.model(),
    act: flow(
      decode(Typed, BODY),
      E.chain(({ type, ...actionFields }) =>
        pipe(
          actionFields,
          decode(fieldsOf(type), BODY),
          E.chain((fields) => device.actions[type]?.(fields) ?? done),
        ),
      ),
    ),
    setBehaviour: flow(
      decode(codecsOf.behaviour, BODY),
      E.map((behaviour) => device.setBehaviour(behaviour)),
    ),
    close: () => {
      try {
        device.close();
      } finally {
        device.peripheral.close();
      }
    },
  });
  return {
    addressPrefix,
    schemas: {
      start: codecs.merged(codecsOf.start.schema.input, codecs.object(withBehaviour).schema.input),
      action: {
        oneOf: Object.keys(codecsOf.actions).map((type) =>
          codecs.merged(
            codecs.object({ type: codecs.literal(type) }).schema.input,
            codecsOf.actions[type]?.schema.input ?? {},
          ),
        ),
      },
      behaviour: codecsOf.behaviour.schema.input,
    },
    fields: [...codecsOf.start.fields, ...Object.keys(withBehaviour)],
    prepare: (body) =>
      pipe(
        E.Do,
        E.bind('start', () => pipe(body, decode(codecsOf.start.open, DEVICE))),
        E.bind('withBehaviour', () => pipe(body, decode(codecs.object(withBehaviour), DEVICE))),
        E.map(({ start, withBehaviour: { behaviour } }) => ({
          addressType: typeof addressType === 'function' ? addressType(start) : addressType,
          make: async (context) => {
            const device = make(start, behaviour, context);
            await device.peripheral.ready;
            return made(device);
          },
        })),
      ),
  };
};
