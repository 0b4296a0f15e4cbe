import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  choice,
  countBytes,
  flag,
  hexByte,
  layout,
  multiples,
  nearestUnsigned,
  readPayload,
  rowsOf,
  struct,
  u8,
  type Field,
  type ValueOf,
  type WireRow,
} from '../../bytes/index.js';
import { LED_SELECTORS, type Pulse as AnyPulse, type Rgb } from '../dice-values.js';
import { parseError, parseFailure, type ParseError } from '../../codecs/parse-error.js';

/**
 * How a pulse shows its colour: `parallel` in each blink; `oneByOne` its red, green and blue components in turn. The
 * modes have the order of their codes (docs/godice-protocol.md §3.1).
 */
export const PULSE_MODES = ['oneByOne', 'parallel'] as const;
export type PulseMode = (typeof PULSE_MODES)[number];

/** A blink pattern, its times in steps of 10 ms on the wire. */
export interface Pulse extends AnyPulse {
  readonly mode: PulseMode;
}

const byte = nearestUnsigned(u8);
const ticks = multiples(byte, 10);
const rgb: Field<Rgb> = struct({ r: byte, g: byte, b: byte });
const pulse = {
  count: byte,
  onMs: ticks,
  offMs: ticks,
  colour: rgb,
  mode: choice('the pulse mode', PULSE_MODES),
  /** The code is the index in the list (docs/godice-protocol.md §3.1). */
  leds: choice('the LED selector', LED_SELECTORS),
};
const detection = struct({
  samples: byte,
  movements: byte,
  faces: byte,
  min_flat_degrees: byte,
  max_flat_degrees: byte,
  weak_stable: byte,
  movement_degrees: byte,
  roll_threshold: byte,
});
/** The thresholds of a roll: bytes, of which only the degrees have a known unit (§3.3). The control API has the same names. */
export type Detection = ReturnType<typeof detection.read>;

const nothing = layout({});

interface CommandRow extends WireRow {
  /** Byte 0. */
  readonly opcode: number;
  /** The name in messages of errors. */
  readonly name: string;
}

/** A row for each command (docs/godice-protocol.md §3); the size distinguishes two commands with the same opcode. */
const commands = {
  Battery: { opcode: 0x03, name: 'battery', payload: nothing },
  Sensitivity: { opcode: 0x06, name: 'sensitivity', payload: layout({ sensitivity: byte }) },
  /** Both LEDs, constant; all zero is dark. */
  Leds: { opcode: 0x08, name: 'LED', payload: layout({ led1: rgb, led2: rgb }) },
  Pulse: { opcode: 0x10, name: 'pulse', payload: layout(pulse) },
  /** One third-party client sends it; dice do not answer. */
  Calibrate: { opcode: 0x13, name: 'calibrate', payload: nothing },
  /** Switches the LEDs off. */
  StopLeds: { opcode: 0x14, name: 'stop', payload: nothing },
  Colour: { opcode: 0x17, name: 'colour', payload: nothing },
  /** The opcode alone; dice answer as to `Initialise`. */
  InitialiseBare: { opcode: 0x19, name: 'initialise', payload: nothing },
  Initialise: {
    ...{ opcode: 0x19, name: 'initialise' },
    payload: layout({ sensitivity: byte, pulse: struct(pulse) }),
  },
  SingleTap: { opcode: 0x31, name: 'single-tap', payload: layout({ on: flag('the single-tap switch') }) },
  DoubleTap: { opcode: 0x32, name: 'double-tap', payload: layout({ on: flag('the double-tap switch') }) },
  Detection: { opcode: 0x65, name: 'detection', payload: layout({ settings: detection }) },
} as const satisfies Readonly<Record<string, CommandRow>>;

/** Host to die. */
export type Command = ValueOf<typeof commands>;

const rows = rowsOf(commands);

/** The bytes of a command; a number out of the range of a byte becomes the nearest in range. */
export const encodeCommand = (command: Command): Buffer => {
  const { opcode, payload }: CommandRow = commands[command._tag];
  return Buffer.concat([Buffer.from([opcode]), payload.write(command)]);
};

/** The command in `bytes`; Left: an unknown opcode, a wrong length, or a value without meaning. */
export const decodeCommand = (bytes: Buffer): E.Either<ParseError, Command> => {
  const [opcode] = bytes;
  if (opcode === undefined) return parseFailure('a command must have at least 1 byte, got none');
  const candidates = rows.filter(([, row]) => row.opcode === opcode);
  const [first] = candidates;
  if (first === undefined) return parseFailure(`no command has the opcode ${hexByte(opcode)}`);
  return pipe(
    readPayload<typeof commands>(candidates, bytes.subarray(1)),
    E.mapLeft((reason) =>
      parseError(
        typeof reason === 'string'
          ? reason
          : `the ${first[1].name} command ${hexByte(opcode)} must have ${reason.map((size) => countBytes(1 + size)).join(' or ')}, got ${bytes.length}`,
      ),
    ),
  );
};

export const DEFAULT_SENSITIVITY = 30;

/** The first command of a host (docs/godice-protocol.md §3.2): three green blinks, half a second on and off, both LEDs. */
export const DEFAULT_INITIALISE = {
  _tag: 'Initialise',
  sensitivity: DEFAULT_SENSITIVITY,
  pulse: {
    count: 3,
    onMs: 500,
    offMs: 500,
    colour: { r: 0, g: 255, b: 0 },
    mode: 'parallel',
    leds: 'both',
  },
} as const satisfies Command;

/** The vendor C API's detection settings (docs/godice-protocol.md §3.3). */
export const DEFAULT_DETECTION: Detection = {
  samples: 4,
  movements: 2,
  faces: 1,
  min_flat_degrees: 10,
  max_flat_degrees: 54,
  weak_stable: 20,
  movement_degrees: 50,
  roll_threshold: 30,
};
