/** Messages from the die to the host (docs/pixels-protocol.md §3). */
import { fractions, i16, i8, layout, nearestSigned, type ValueOf } from '../../bytes/index.js';
import { batteryState, byte, percent, rollState } from './fields.js';
import { identity } from './identity.js';
import { messageCodec, type MessageRow } from './message-table.js';

const nothing = layout({});
const celsius = fractions(nearestSigned(i16), 100);

const notifications = {
  IAmADie: { number: 2, payload: identity },
  /** Sent at each change, and on request. */
  RollState: { number: 3, payload: layout({ state: rollState, faceIndex: byte }) },
  /** Sent when a Blink is received, not at its end. */
  BlinkAck: { number: 30, payload: nothing },
  /** Sent at each change, and on request. */
  BatteryLevel: { number: 34, payload: layout({ level: percent, state: batteryState }) },
  /** dBm. */
  Rssi: { number: 36, payload: layout({ rssi: nearestSigned(i8) }) },
  SetNameAck: { number: 52, payload: nothing },
  /** °C, in steps of 0.01. */
  Temperature: { number: 61, payload: layout({ mcu: celsius, battery: celsius }) },
  BlinkIdAck: { number: 66, payload: nothing },
} as const satisfies Readonly<Record<string, MessageRow>>;

export type Notification = ValueOf<typeof notifications>;

export const { encode: encodeNotification, decode: decodeNotification } = messageCodec(
  'notification',
  notifications,
);
