import type { Alarm } from './alarm.js';
import type { SettingsRecord } from './settings.js';

/** The acknowledgement of a command; `ackOutcome` reads its outcome (docs/cgd1-protocol.md §3.1). */
export interface Ack {
  readonly _tag: 'Ack';
  /** The command's opcode, which may differ in meaning on each channel (`isAckOf`). */
  readonly opcode: number;
  /** Byte 3, 0 to 255. */
  readonly x: number;
  /** Byte 4, 0 to 255. */
  readonly y: number;
}

/** Clock to host, on either channel (docs/cgd1-protocol.md §3). */
export type Notification =
  | Ack
  /** `second` is the byte before the text: the opcode 0D in one reading, the text's length in another (§5). */
  | { readonly _tag: 'Firmware'; readonly version: string; readonly second: number }
  /** `decodeSettings` reads the record. */
  | { readonly _tag: 'Settings'; readonly record: SettingsRecord }
  /** Slots `base` to `base` + 2, null where empty. */
  | { readonly _tag: 'AlarmPacket'; readonly base: number; readonly alarms: readonly (Alarm | null)[] };

/**
 * The outcome of a command by its ACK; `continue`: a success, and authentication needs its next step.
 */
export type AckOutcome = 'success' | 'continue' | 'failure';

const REFUSED = 0x01;
const CONTINUE: readonly number[] = [0x02, 0x06];

/**
 * Reads both bytes that sources take for the status: byte 3 with 0 as success, byte 4 with 1 as failure and 2
 * (on some firmware 6) as continue. Each of them can mean failure.
 */
export const ackOutcome = ({ x, y }: Ack): AckOutcome => {
  if (x !== 0 || y === REFUSED) return 'failure';
  return CONTINUE.includes(y) ? 'continue' : 'success';
};
