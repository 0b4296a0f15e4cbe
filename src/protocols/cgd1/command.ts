/** The commands to a clock, a row for each (docs/cgd1-protocol.md §3). */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  bytes,
  endingWith,
  hex,
  hexByte,
  layout,
  multiples,
  nearestUnsigned,
  orNothing,
  readPayload,
  rowsOf,
  u24,
  u32,
  u8,
  upTo,
  type Field,
  type ValueOf,
  type WireRow,
} from '../../bytes/index.js';
import { parseError, parseFailure, type ParseError } from '../../codecs/parse-error.js';
import { ALARM_SLOTS, exactAlarm, NO_ALARM } from './alarm.js';
import { AUDIO_BLOCK } from './audio.js';
import { decodeFrame, encodeFrame } from './frame.js';
import { SIGNATURE_BYTES, BRIGHTNESS_STEP, SETTINGS_BYTES } from './settings.js';

/** The two channels of a clock, each with a characteristic for commands and one for answers (docs/cgd1-protocol.md §2). */
export type Channel = 'auth' | 'data';

/** Bytes of a token. */
export const TOKEN_BYTES = 16;

interface CommandRow extends WireRow {
  /** The name in messages of errors. */
  readonly name: string;
  readonly opcode: number;
  readonly channel: Channel;
}

/** A slot, written as it is: a slot out of range must not become another slot. */
const slot: Field<number> = {
  ...upTo('the alarm slot', ALARM_SLOTS - 1),
  write: nearestUnsigned(u8).write,
};
const token = layout({ token: bytes(TOKEN_BYTES) });
const nothing = layout({});

/** The payload distinguishes two rows with the same channel and opcode. */
const commands = {
  /** The first half of authentication; the host chooses the token. */
  AuthInit: { channel: 'auth', opcode: 0x01, name: 'authentication', payload: token },
  /** The second half, with the same token. */
  AuthConfirm: { channel: 'auth', opcode: 0x02, name: 'confirmation', payload: token },
  /** Unix time in seconds, UTC: the clock adds its time zone itself. No command reads the time. */
  SetTime: {
    channel: 'auth',
    opcode: 0x09,
    name: 'time',
    payload: layout({ seconds: nearestUnsigned(u32) }),
  },
  ReadFirmware: { channel: 'auth', opcode: 0x0d, name: 'firmware', payload: nothing },
  ReadSettings: { channel: 'data', opcode: 0x02, name: 'settings', payload: nothing },
  /** The whole record; `encodeSettings` changes parts of it. */
  WriteSettings: {
    channel: 'data',
    opcode: 0x01,
    name: 'new settings',
    payload: layout({ record: bytes(SETTINGS_BYTES) }),
  },
  /** Changes the brightness at once, without storing it; per cent, in steps of 10. */
  SetBrightness: {
    channel: 'data',
    opcode: 0x03,
    name: 'brightness',
    payload: layout({ brightness: multiples(nearestUnsigned(u8), BRIGHTNESS_STEP) }),
  },
  /** Plays a beep; volume 1 to 5, null: the volume of the settings. */
  PreviewRingtone: {
    channel: 'data',
    opcode: 0x04,
    name: 'preview',
    payload: orNothing('volume', nearestUnsigned(u8)),
  },
  ReadAlarms: { channel: 'data', opcode: 0x06, name: 'alarms', payload: nothing },
  SetAlarm: { channel: 'data', opcode: 0x05, name: 'alarm', payload: layout({ slot, alarm: exactAlarm }) },
  DeleteAlarm: {
    channel: 'data',
    opcode: 0x05,
    name: 'alarm',
    payload: endingWith(layout({ slot }), NO_ALARM),
  },
  /** Begins an upload: the number of bytes, at most `MAX_AUDIO`, and the signature of the tone, 8 hex digits. */
  AudioInit: {
    channel: 'data',
    opcode: 0x10,
    name: 'audio',
    payload: layout({ size: nearestUnsigned(u24), signature: hex(SIGNATURE_BYTES) }),
  },
  /** 128 bytes of a tone. */
  AudioBlock: {
    channel: 'data',
    opcode: 0x08,
    name: 'audio block',
    payload: layout({ data: bytes(AUDIO_BLOCK) }),
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

/** Host to clock. */
export type Command = ValueOf<typeof commands>;
export type CommandTag = Command['_tag'];

const rows = rowsOf(commands);

/** Every kind of command. */
export const COMMAND_TAGS: readonly CommandTag[] = rows.map(([tag]) => tag);

/** The channel of a command and its answer. */
export const channelOf = ({ _tag }: Command): Channel => commands[_tag].channel;

/** Byte 1 of a command, which its ACK repeats. */
export const opcodeOf = ({ _tag }: Command): number => commands[_tag].opcode;

/**
 * The index of the token in `bytes` that end with a command of authentication: the command itself, or a packet that
 * carries it; undefined without a token.
 */
export const tokenIndex = (bytes: Buffer): number | undefined => {
  const at = bytes.length - TOKEN_BYTES;
  const command = decodeCommand('auth', bytes.subarray(Math.max(0, at - 2)));
  return E.isRight(command) && 'token' in command.right ? at : undefined;
};

const rowsWith = (channel: Channel, opcode: number): typeof rows =>
  rows.filter(([, row]) => row.channel === channel && row.opcode === opcode);

/**
 * Whether an ACK of `opcode` on `channel` can be about a command of this kind. A command with another answer gets an ACK if the
 * clock refuses it.
 */
export const isAckOf = (
  tag: CommandTag,
  channel: Channel,
  { opcode }: { readonly opcode: number },
): boolean => {
  const row = commands[tag];
  return row.channel === channel && row.opcode === opcode;
};

/** The bytes of a command; a number out of the range of its field becomes the nearest in range. */
export const encodeCommand = (command: Command): Buffer => {
  const { opcode, payload }: CommandRow = commands[command._tag];
  return encodeFrame(opcode, payload.write(command));
};

/** The command written on `channel`; Left: an unknown opcode, a wrong length, or a value without meaning. */
export const decodeCommand = (channel: Channel, frame: Buffer): E.Either<ParseError, Command> =>
  pipe(
    decodeFrame(frame),
    E.chain(({ opcode, payload }) => {
      const candidates = rowsWith(channel, opcode);
      const [first] = candidates;
      if (first === undefined) return parseFailure(`no ${channel} command has the opcode ${hexByte(opcode)}`);
      return pipe(
        readPayload<typeof commands>(candidates, payload),
        E.mapLeft((reason) =>
          parseError(
            typeof reason === 'string'
              ? reason
              : `the ${first[1].name} command ${hexByte(opcode)} must have a payload of ${reason.join(' or ')} bytes, got ${payload.length}`,
          ),
        ),
      );
    }),
  );
