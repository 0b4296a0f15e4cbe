import { AttOpcode, u16 } from '../../../src/ble/hci/att.js';

/** The outcome of a read or a write: an ATT error, 0 for none, and the milliseconds until the response. */
export interface Outcome {
  readonly error: number;
  readonly delayMs: number;
  /** For after the response. */
  readonly then?: () => void;
}

export const DONE: Outcome = { error: 0, delayMs: 0 };

export interface Response {
  readonly pdu?: Buffer;
  readonly delayMs?: number;
  readonly then?: (() => void) | undefined;
}

/** An Error Response (Core 5.4 Vol 3 Part F 3.4.1.1). */
export const refused = (opcode: number, handle: number, error: number, delayMs = 0): Response => ({
  pdu: Buffer.concat([Buffer.of(AttOpcode.errorResponse, opcode), u16(handle), Buffer.of(error)]),
  delayMs,
});
