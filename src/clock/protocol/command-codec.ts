import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { decodeAlarm, encodeAlarm, ALARM_BYTES, ALARM_SLOTS } from './alarm.js';
import { AUDIO_BLOCK } from './audio.js';
import { hexByte, hexBytes, toUint8, uintBytes } from './bytes.js';
import { TOKEN_BYTES, type Channel, type Command, type CommandTag } from './command.js';
import { decodeFrame, encodeFrame } from './frame.js';
import { parseError, type ParseError } from './parse-error.js';
import { SIGNATURE_BYTES, signatureBytes } from './ringtone.js';
import { BRIGHTNESS_STEP, SETTINGS_BYTES } from './settings.js';

/** Byte 1 of each command; on the other channel it may be another's (docs/cgd1-protocol.md §3). */
const opcodes = {
  AuthInit: 0x01,
  AuthConfirm: 0x02,
  SetTime: 0x09,
  ReadFirmware: 0x0d,
  WriteSettings: 0x01,
  ReadSettings: 0x02,
  SetBrightness: 0x03,
  PreviewRingtone: 0x04,
  SetAlarm: 0x05,
  DeleteAlarm: 0x05,
  ReadAlarms: 0x06,
  AudioBlock: 0x08,
  AudioInit: 0x10,
} as const satisfies Record<Command['_tag'], number>;

const authCommands: readonly CommandTag[] = ['AuthInit', 'AuthConfirm', 'SetTime', 'ReadFirmware'];

/** Where a command is written, and its answer awaited. */
export const channelOf = (command: Command): Channel =>
  authCommands.includes(command._tag) ? 'auth' : 'data';

/** Byte 1 of a command: what its ACK repeats. */
export const opcodeOf = (command: Command): number => opcodes[command._tag];

const SECONDS_BYTES = 4;
const SIZE_BYTES = 3;

/** Exactly `size` bytes: what is missing is 0, what is too much is left out. */
const sized = (bytes: Buffer, size: number): Buffer => Buffer.concat([bytes], size);

const payloadOf = (command: Command): readonly (Buffer | number)[] => {
  switch (command._tag) {
    case 'AuthInit':
    case 'AuthConfirm':
      return [sized(command.token, TOKEN_BYTES)];
    case 'SetTime':
      return [uintBytes(command.seconds, SECONDS_BYTES)];
    case 'ReadFirmware':
    case 'ReadSettings':
    case 'ReadAlarms':
      return [];
    case 'WriteSettings':
      return [sized(command.record, SETTINGS_BYTES)];
    case 'SetBrightness':
      return [toUint8(command.brightness / BRIGHTNESS_STEP)];
    case 'PreviewRingtone':
      return command.volume === null ? [] : [toUint8(command.volume)];
    case 'SetAlarm':
      return [toUint8(command.slot), encodeAlarm(command.alarm)];
    case 'DeleteAlarm':
      return [toUint8(command.slot), encodeAlarm(null)];
    case 'AudioInit':
      return [uintBytes(command.size, SIZE_BYTES), signatureBytes(command.signature)];
    case 'AudioBlock':
      return [sized(command.data, AUDIO_BLOCK)];
  }
};

/** The bytes of a command; a number that its field cannot hold becomes the nearest one that it can. */
export const encodeCommand = (command: Command): Buffer =>
  encodeFrame(opcodes[command._tag], ...payloadOf(command));

type Decode = (payload: Buffer) => E.Either<ParseError, Command>;

interface Layout {
  readonly name: string;
  readonly channel: Channel;
  readonly opcode: number;
  /** Lengths of the payload. */
  readonly lengths: readonly number[];
  readonly decode: Decode;
}

const readAlarm: Decode = (payload) => {
  const slot = payload.readUInt8(0);
  const entry = payload.subarray(1);
  const alarm = decodeAlarm(entry);
  if (slot >= ALARM_SLOTS) return parseError(`the alarm slot must be 0 to ${ALARM_SLOTS - 1}, got ${slot}`);
  if (!encodeAlarm(alarm).equals(entry)) {
    return parseError(`an alarm must be switch, hour, minute, days and snooze, got ${hexBytes(entry)}`);
  }
  return E.right(alarm === null ? { _tag: 'DeleteAlarm', slot } : { _tag: 'SetAlarm', slot, alarm });
};

const layouts: readonly Layout[] = [
  {
    name: 'authentication',
    channel: 'auth',
    opcode: opcodes.AuthInit,
    lengths: [TOKEN_BYTES],
    decode: (token) => E.right({ _tag: 'AuthInit', token }),
  },
  {
    name: 'confirmation',
    channel: 'auth',
    opcode: opcodes.AuthConfirm,
    lengths: [TOKEN_BYTES],
    decode: (token) => E.right({ _tag: 'AuthConfirm', token }),
  },
  {
    name: 'time',
    channel: 'auth',
    opcode: opcodes.SetTime,
    lengths: [SECONDS_BYTES],
    decode: (payload) => E.right({ _tag: 'SetTime', seconds: payload.readUInt32LE(0) }),
  },
  {
    name: 'firmware',
    channel: 'auth',
    opcode: opcodes.ReadFirmware,
    lengths: [0],
    decode: () => E.right({ _tag: 'ReadFirmware' }),
  },
  {
    name: 'settings',
    channel: 'data',
    opcode: opcodes.ReadSettings,
    lengths: [0],
    decode: () => E.right({ _tag: 'ReadSettings' }),
  },
  {
    name: 'new settings',
    channel: 'data',
    opcode: opcodes.WriteSettings,
    lengths: [SETTINGS_BYTES],
    decode: (record) => E.right({ _tag: 'WriteSettings', record }),
  },
  {
    name: 'brightness',
    channel: 'data',
    opcode: opcodes.SetBrightness,
    lengths: [1],
    decode: (payload) =>
      E.right({ _tag: 'SetBrightness', brightness: payload.readUInt8(0) * BRIGHTNESS_STEP }),
  },
  {
    name: 'preview',
    channel: 'data',
    opcode: opcodes.PreviewRingtone,
    lengths: [0, 1],
    decode: (payload) =>
      E.right({ _tag: 'PreviewRingtone', volume: payload.length === 0 ? null : payload.readUInt8(0) }),
  },
  {
    name: 'alarm',
    channel: 'data',
    opcode: opcodes.SetAlarm,
    lengths: [1 + ALARM_BYTES],
    decode: readAlarm,
  },
  {
    name: 'alarms',
    channel: 'data',
    opcode: opcodes.ReadAlarms,
    lengths: [0],
    decode: () => E.right({ _tag: 'ReadAlarms' }),
  },
  {
    name: 'audio',
    channel: 'data',
    opcode: opcodes.AudioInit,
    lengths: [SIZE_BYTES + SIGNATURE_BYTES],
    decode: (payload) =>
      E.right({
        _tag: 'AudioInit',
        size: payload.readUIntLE(0, SIZE_BYTES),
        signature: payload.toString('hex', SIZE_BYTES),
      }),
  },
  {
    name: 'audio block',
    channel: 'data',
    opcode: opcodes.AudioBlock,
    lengths: [AUDIO_BLOCK],
    decode: (data) => E.right({ _tag: 'AudioBlock', data }),
  },
];

/** The command written on `channel`; Left for an unknown opcode, another length than it has, or a value without meaning. */
export const decodeCommand = (channel: Channel, bytes: Buffer): E.Either<ParseError, Command> =>
  pipe(
    decodeFrame(bytes),
    E.chain(({ opcode, payload }) => {
      const layout = layouts.find(
        (candidate) => candidate.channel === channel && candidate.opcode === opcode,
      );
      if (layout === undefined) return parseError(`no ${channel} command has the opcode ${hexByte(opcode)}`);
      const { name, lengths, decode } = layout;
      return lengths.includes(payload.length)
        ? decode(payload)
        : parseError(
            `the ${name} command ${hexByte(opcode)} must have a payload of ${lengths.join(' or ')} bytes, got ${payload.length}`,
          );
    }),
  );
