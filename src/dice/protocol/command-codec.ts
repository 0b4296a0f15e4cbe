import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { countBytes, hexByte, toUint8 } from './bytes.js';
import { LED_SELECTORS, PULSE_MODES, type Command, type Pulse, type Rgb } from './command.js';
import { parseError, type ParseError } from './parse-error.js';

/** Byte 0 of each command (docs/godice-protocol.md §3). */
const Opcode = {
  battery: 0x03,
  sensitivity: 0x06,
  leds: 0x08,
  pulse: 0x10,
  calibrate: 0x13,
  stopLeds: 0x14,
  colour: 0x17,
  initialise: 0x19,
  singleTap: 0x31,
  doubleTap: 0x32,
  detection: 0x65,
} as const;

/** Times on the wire count 10 ms. */
const TICK_MS = 10;

const packet = (opcode: number, ...values: readonly number[]): Buffer =>
  Buffer.from([opcode, ...values.map(toUint8)]);

const rgbBytes = ({ r, g, b }: Rgb): readonly number[] => [r, g, b];

const pulseBytes = ({ count, onMs, offMs, colour, mode, leds }: Pulse): readonly number[] => [
  count,
  onMs / TICK_MS,
  offMs / TICK_MS,
  ...rgbBytes(colour),
  PULSE_MODES.indexOf(mode),
  LED_SELECTORS.indexOf(leds),
];

/** The bytes of a command; a number that no byte holds becomes the nearest one that does. */
export const encodeCommand = (command: Command): Buffer => {
  switch (command._tag) {
    case 'Battery':
      return packet(Opcode.battery);
    case 'Sensitivity':
      return packet(Opcode.sensitivity, command.sensitivity);
    case 'Leds':
      return packet(Opcode.leds, ...rgbBytes(command.led1), ...rgbBytes(command.led2));
    case 'Pulse':
      return packet(Opcode.pulse, ...pulseBytes(command));
    case 'Calibrate':
      return packet(Opcode.calibrate);
    case 'StopLeds':
      return packet(Opcode.stopLeds);
    case 'Colour':
      return packet(Opcode.colour);
    case 'Initialise':
      return packet(Opcode.initialise, command.sensitivity, ...pulseBytes(command.pulse));
    case 'InitialiseBare':
      return packet(Opcode.initialise);
    case 'SingleTap':
      return packet(Opcode.singleTap, Number(command.on));
    case 'DoubleTap':
      return packet(Opcode.doubleTap, Number(command.on));
    case 'Detection':
      return packet(
        Opcode.detection,
        command.settings.samples,
        command.settings.movements,
        command.settings.faces,
        command.settings.minFlatDegrees,
        command.settings.maxFlatDegrees,
        command.settings.weakStable,
        command.settings.movementDegrees,
        command.settings.rollThreshold,
      );
  }
};

const readRgb = (bytes: Buffer, offset: number): Rgb => ({
  r: bytes.readUInt8(offset),
  g: bytes.readUInt8(offset + 1),
  b: bytes.readUInt8(offset + 2),
});

const readPulse = (bytes: Buffer, offset: number): E.Either<ParseError, Pulse> => {
  const mode = PULSE_MODES[bytes.readUInt8(offset + 6)];
  const leds = LED_SELECTORS[bytes.readUInt8(offset + 7)];
  if (mode === undefined) {
    return parseError(`the pulse mode must be 0 or 1, got ${bytes.readUInt8(offset + 6)}`);
  }
  if (leds === undefined) {
    return parseError(`the LED selector must be 0 to 2, got ${bytes.readUInt8(offset + 7)}`);
  }
  return E.right({
    count: bytes.readUInt8(offset),
    onMs: bytes.readUInt8(offset + 1) * TICK_MS,
    offMs: bytes.readUInt8(offset + 2) * TICK_MS,
    colour: readRgb(bytes, offset + 3),
    mode,
    leds,
  });
};

const readSwitch = (bytes: Buffer, name: string): E.Either<ParseError, boolean> => {
  const value = bytes.readUInt8(1);
  return value > 1 ? parseError(`the ${name} switch must be 0 or 1, got ${value}`) : E.right(value === 1);
};

interface Layout {
  readonly name: string;
  /** Total lengths, opcode included. */
  readonly lengths: readonly number[];
  readonly decode: (bytes: Buffer) => E.Either<ParseError, Command>;
}

const layouts: ReadonlyMap<number, Layout> = new Map<number, Layout>([
  [Opcode.battery, { name: 'battery', lengths: [1], decode: () => E.right({ _tag: 'Battery' }) }],
  [
    Opcode.sensitivity,
    {
      name: 'sensitivity',
      lengths: [2],
      decode: (bytes) => E.right({ _tag: 'Sensitivity', sensitivity: bytes.readUInt8(1) }),
    },
  ],
  [
    Opcode.leds,
    {
      name: 'LED',
      lengths: [7],
      decode: (bytes) => E.right({ _tag: 'Leds', led1: readRgb(bytes, 1), led2: readRgb(bytes, 4) }),
    },
  ],
  [
    Opcode.pulse,
    {
      name: 'pulse',
      lengths: [9],
      decode: (bytes) =>
        pipe(
          readPulse(bytes, 1),
          E.map((pulse) => ({ _tag: 'Pulse', ...pulse })),
        ),
    },
  ],
  [Opcode.calibrate, { name: 'calibrate', lengths: [1], decode: () => E.right({ _tag: 'Calibrate' }) }],
  [Opcode.stopLeds, { name: 'stop', lengths: [1], decode: () => E.right({ _tag: 'StopLeds' }) }],
  [Opcode.colour, { name: 'colour', lengths: [1], decode: () => E.right({ _tag: 'Colour' }) }],
  [
    Opcode.initialise,
    {
      name: 'initialise',
      lengths: [1, 10],
      decode: (bytes) =>
        bytes.length === 1
          ? E.right({ _tag: 'InitialiseBare' })
          : pipe(
              readPulse(bytes, 2),
              E.map((pulse) => ({ _tag: 'Initialise', sensitivity: bytes.readUInt8(1), pulse })),
            ),
    },
  ],
  [
    Opcode.singleTap,
    {
      name: 'single-tap',
      lengths: [2],
      decode: (bytes) =>
        pipe(
          readSwitch(bytes, 'single-tap'),
          E.map((on) => ({ _tag: 'SingleTap', on })),
        ),
    },
  ],
  [
    Opcode.doubleTap,
    {
      name: 'double-tap',
      lengths: [2],
      decode: (bytes) =>
        pipe(
          readSwitch(bytes, 'double-tap'),
          E.map((on) => ({ _tag: 'DoubleTap', on })),
        ),
    },
  ],
  [
    Opcode.detection,
    {
      name: 'detection',
      lengths: [9],
      decode: (bytes) =>
        E.right({
          _tag: 'Detection',
          settings: {
            samples: bytes.readUInt8(1),
            movements: bytes.readUInt8(2),
            faces: bytes.readUInt8(3),
            minFlatDegrees: bytes.readUInt8(4),
            maxFlatDegrees: bytes.readUInt8(5),
            weakStable: bytes.readUInt8(6),
            movementDegrees: bytes.readUInt8(7),
            rollThreshold: bytes.readUInt8(8),
          },
        }),
    },
  ],
]);

/** The command in `bytes`; Left for an unknown opcode, another length than the opcode has, or a value without meaning. */
export const decodeCommand = (bytes: Buffer): E.Either<ParseError, Command> => {
  const opcode = bytes[0];
  if (opcode === undefined) return parseError('a command must have at least 1 byte, got none');
  const layout = layouts.get(opcode);
  if (layout === undefined) return parseError(`no command has the opcode ${hexByte(opcode)}`);
  const { name, lengths, decode } = layout;
  return lengths.includes(bytes.length)
    ? decode(bytes)
    : parseError(
        `the ${name} command ${hexByte(opcode)} must have ${lengths.map(countBytes).join(' or ')}, got ${bytes.length}`,
      );
};
