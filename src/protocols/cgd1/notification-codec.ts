import * as E from 'fp-ts/lib/Either.js';
import {
  bytes,
  hexByte,
  shortBytes,
  layout,
  list,
  nearestUnsigned,
  toUint8,
  u8,
  type Layout,
} from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';
import { ALARMS_IN_PACKET, alarmSlot } from './alarm.js';
import type { Channel } from './command.js';
import { decodeFrame, encodeFrame, type Frame } from './frame.js';
import type { Notification } from './notification.js';
import { SETTINGS_BYTES } from './settings.js';

/** Byte 1 of a notification; there are two readings of it for the firmware (docs/cgd1-protocol.md §5). */
const Opcode = { settings: 0x02, alarms: 0x06, firmware: 0x0d, ack: 0xff } as const;

/** The byte before the firmware's text where it repeats the opcode of the command. */
export const FIRMWARE_ECHO = Opcode.firmware;

const byte = nearestUnsigned(u8);
const ack = layout({ opcode: byte, x: byte, y: byte });
const settings = layout({ record: bytes(SETTINGS_BYTES) });
const alarms = layout({ base: byte, alarms: list(ALARMS_IN_PACKET, alarmSlot) });

const slots = Array.from({ length: ALARMS_IN_PACKET }, (_, index) => index);

/** The bytes of a notification; a number out of the range of its byte becomes the nearest in range. */
export const encodeNotification = (notification: Notification): Buffer => {
  switch (notification._tag) {
    case 'Ack':
      return encodeFrame(Opcode.ack, ack.write(notification));
    case 'Firmware':
      return encodeFrame(toUint8(notification.second), Buffer.from(notification.version, 'latin1'));
    case 'Settings':
      return encodeFrame(Opcode.settings, settings.write(notification));
    case 'AlarmPacket': {
      const { base } = notification;
      const all = slots.map((slot) => notification.alarms[slot] ?? null);
      return encodeFrame(Opcode.alarms, alarms.write({ base, alarms: all }));
    }
  }
};

type Decode = (frame: Frame) => E.Either<ParseError, Notification>;

const sized =
  <A>(name: string, { size, read }: Layout<A>, notification: (values: A) => Notification): Decode =>
  ({ payload }) =>
    payload.length === size
      ? E.right(notification(read(payload)))
      : parseFailure(`${name} must have a payload of ${size} bytes, got ${payload.length}`);

const decodeAck = sized('an ACK', ack, (values) => ({ _tag: 'Ack', ...values }));

const printable = /^[\x20-\x7e]+$/;

const firmware: Decode = ({ opcode, payload }) => {
  const version = payload.toString('latin1');
  if (opcode !== FIRMWARE_ECHO && opcode !== payload.length) {
    return parseFailure(
      `the firmware must begin with ${hexByte(FIRMWARE_ECHO)} or its length ${hexByte(payload.length)}, got ${hexByte(opcode)}`,
    );
  }
  return printable.test(version)
    ? E.right({ _tag: 'Firmware', version, second: opcode })
    : parseFailure(`the firmware must be printable ASCII, got ${shortBytes(payload)}`);
};

const onData: ReadonlyMap<number, Decode> = new Map([
  [Opcode.settings, sized('settings', settings, (values) => ({ _tag: 'Settings', ...values }))],
  [Opcode.alarms, sized('an alarm packet', alarms, (values) => ({ _tag: 'AlarmPacket', ...values }))],
]);

const decoderOf = (channel: Channel, opcode: number): Decode | undefined => {
  if (opcode === Opcode.ack) return decodeAck;
  return channel === 'auth' ? firmware : onData.get(opcode);
};

/** The notification received on `channel`; Left: an unknown opcode, a wrong length, or an invalid text. */
export const decodeNotification = (channel: Channel, bytes: Buffer): E.Either<ParseError, Notification> => {
  const frame = decodeFrame(bytes);
  if (E.isLeft(frame)) return frame;
  const { opcode } = frame.right;
  const decode = decoderOf(channel, opcode);
  return decode === undefined
    ? parseFailure(`no ${channel} notification has the opcode ${hexByte(opcode)}`)
    : decode(frame.right);
};
