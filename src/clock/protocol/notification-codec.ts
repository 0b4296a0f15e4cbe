import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { ALARM_BYTES, ALARMS_IN_PACKET, decodeAlarm, encodeAlarm } from './alarm.js';
import { hexByte, hexBytes, toUint8 } from './bytes.js';
import type { Channel } from './command.js';
import { decodeFrame, encodeFrame, type Frame } from './frame.js';
import type { Notification } from './notification.js';
import { parseError, type ParseError } from './parse-error.js';
import { SETTINGS_BYTES } from './settings.js';

/** Byte 1 of what the clock says; the firmware's has two readings (docs/cgd1-protocol.md §5). */
const Opcode = { settings: 0x02, alarms: 0x06, firmware: 0x0d, ack: 0xff } as const;

/** The byte before the firmware's text when it repeats the command. */
export const FIRMWARE_ECHO = Opcode.firmware;

const slots = Array.from({ length: ALARMS_IN_PACKET }, (_, index) => index);

/** The bytes of a notification; a number that its byte cannot hold becomes the nearest one that it can. */
export const encodeNotification = (notification: Notification): Buffer => {
  switch (notification._tag) {
    case 'Ack': {
      const { opcode, x, y } = notification;
      return encodeFrame(Opcode.ack, toUint8(opcode), toUint8(x), toUint8(y));
    }
    case 'Firmware':
      return encodeFrame(toUint8(notification.second), Buffer.from(notification.version, 'latin1'));
    case 'Settings':
      return encodeFrame(Opcode.settings, Buffer.concat([notification.record], SETTINGS_BYTES));
    case 'AlarmPacket':
      return encodeFrame(
        Opcode.alarms,
        toUint8(notification.base),
        ...slots.map((slot) => encodeAlarm(notification.alarms[slot] ?? null)),
      );
  }
};

type Decode = (frame: Frame) => E.Either<ParseError, Notification>;

const sized =
  (name: string, size: number, decode: (payload: Buffer) => Notification): Decode =>
  ({ payload }) =>
    payload.length === size
      ? E.right(decode(payload))
      : parseError(`${name} must have a payload of ${size} bytes, got ${payload.length}`);

const ack = sized('an ACK', 3, (payload) => ({
  _tag: 'Ack',
  opcode: payload.readUInt8(0),
  x: payload.readUInt8(1),
  y: payload.readUInt8(2),
}));

const settings = sized('settings', SETTINGS_BYTES, (record) => ({ _tag: 'Settings', record }));

const alarms = sized('an alarm packet', 1 + ALARMS_IN_PACKET * ALARM_BYTES, (payload) => ({
  _tag: 'AlarmPacket',
  base: payload.readUInt8(0),
  alarms: slots.map((slot) =>
    decodeAlarm(payload.subarray(1 + slot * ALARM_BYTES, 1 + (slot + 1) * ALARM_BYTES)),
  ),
}));

const printable = /^[\x20-\x7e]+$/;

const firmware: Decode = ({ opcode, payload }) => {
  const version = payload.toString('latin1');
  if (opcode !== FIRMWARE_ECHO && opcode !== payload.length) {
    return parseError(
      `the firmware must begin with ${hexByte(FIRMWARE_ECHO)} or its length ${hexByte(payload.length)}, got ${hexByte(opcode)}`,
    );
  }
  return printable.test(version)
    ? E.right({ _tag: 'Firmware', version, second: opcode })
    : parseError(`the firmware must be printable ASCII, got ${hexBytes(payload)}`);
};

const onData: ReadonlyMap<number, Decode> = new Map([
  [Opcode.settings, settings],
  [Opcode.alarms, alarms],
]);

const decoderOf = (channel: Channel, opcode: number): Decode | undefined => {
  if (opcode === Opcode.ack) return ack;
  return channel === 'auth' ? firmware : onData.get(opcode);
};

/** The notification heard on `channel`; Left for an unknown opcode or another length than it has. */
export const decodeNotification = (channel: Channel, bytes: Buffer): E.Either<ParseError, Notification> =>
  pipe(
    decodeFrame(bytes),
    E.chain((frame) => {
      const decode = decoderOf(channel, frame.opcode);
      return decode === undefined
        ? parseError(`no ${channel} notification has the opcode ${hexByte(frame.opcode)}`)
        : decode(frame);
    }),
  );
