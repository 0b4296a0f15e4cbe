/** The reads of a described device (Core 5.4 Vol 3 Part F 3.4.4). */
import { AttError, AttOpcode, u16, uuidText } from '../../../src/ble/hci/att.js';
import { Refusal, inRange, listOf } from '../../ble/discovery.js';
import type { Permission } from '../description/services.js';
import { DONE, refused, type Outcome, type Response } from './response.js';
import { attributeAt, type ServedAttribute, type ServedTable } from './table.js';

export interface ReadContext {
  /** The ATT error for a host that lacks what is needed, 0 if it lacks nothing. */
  readonly access: (needed: Permission, attribute: ServedAttribute) => number;
  readonly configurationOf: (attribute: ServedAttribute) => number;
  /** Before a value is read from its beginning. */
  readonly reading: (attribute: ServedAttribute) => Outcome;
}

/** The most of a value in a response to Read By Type (3.4.4.2). */
const MAX_IN_LIST = 253;

export class Reads {
  constructor(
    private readonly table: ServedTable,
    private readonly context: ReadContext,
  ) {}

  /** @throws Refusal if it cannot be read. */
  read(pdu: Buffer, mtu: number): Response {
    return this.readFrom(0, AttOpcode.readResponse, pdu.readUInt16LE(1), mtu);
  }

  /** @throws Refusal if it cannot be read, or not from there. */
  readBlob(pdu: Buffer, mtu: number): Response {
    return this.readFrom(pdu.readUInt16LE(3), AttOpcode.readBlobResponse, pdu.readUInt16LE(1), mtu);
  }

  /** @throws Refusal if there are none. */
  readByType(pdu: Buffer, mtu: number): Response {
    const type = uuidText(pdu.subarray(5));
    const found = inRange(this.table.attributes, pdu).filter((one) => one.type === type);
    const entries: Buffer[] = [];
    let wait = 0;
    for (const attribute of found as readonly ServedAttribute[]) {
      // A value that must not be read ends the list; as the first one it is the error.
      const { error, delayMs } = this.prepare(attribute);
      if (error !== 0 && entries.length === 0) {
        return refused(AttOpcode.readByTypeRequest, attribute.handle, error, delayMs);
      }
      if (error !== 0) break;
      wait = Math.max(wait, delayMs);
      const most = Math.min(mtu - 4, MAX_IN_LIST);
      entries.push(Buffer.concat([u16(attribute.handle), this.valueOf(attribute).subarray(0, most)]));
      if (attribute.value !== undefined) break;
    }
    const header = [AttOpcode.readByTypeResponse, entries[0]?.length ?? 0];
    return { pdu: listOf(header, pdu.readUInt16LE(1), entries, mtu), delayMs: wait };
  }

  /** @throws Refusal if one of them cannot be read. */
  readMultiple(pdu: Buffer, mtu: number): Response {
    const handles = Array.from({ length: Math.floor((pdu.length - 1) / 2) }, (_, index) =>
      pdu.readUInt16LE(1 + 2 * index),
    );
    if (handles.length < 2 || pdu.length % 2 === 0) throw new Refusal(0, AttError.invalidPdu);
    const values: Buffer[] = [];
    let wait = 0;
    for (const handle of handles) {
      const attribute = attributeAt(this.table, handle);
      const { error, delayMs } = this.prepare(attribute);
      if (error !== 0) return refused(AttOpcode.readMultipleRequest, handle, error, delayMs);
      wait = Math.max(wait, delayMs);
      values.push(this.valueOf(attribute));
    }
    const pdus = [Buffer.of(AttOpcode.readMultipleResponse), ...values];
    return { pdu: Buffer.concat(pdus).subarray(0, mtu), delayMs: wait };
  }

  private readFrom(offset: number, opcode: number, handle: number, mtu: number): Response {
    const attribute = attributeAt(this.table, handle);
    this.valueOf(attribute);
    const { error, delayMs } = offset === 0 ? this.context.reading(attribute) : DONE;
    if (error !== 0) return refused(opcode - 1, handle, error, delayMs);
    const value = this.valueOf(attribute);
    if (offset > value.length) throw new Refusal(handle, AttError.invalidOffset);
    return { pdu: Buffer.concat([Buffer.of(opcode), value.subarray(offset, offset + mtu - 1)]), delayMs };
  }

  private prepare(attribute: ServedAttribute): Outcome {
    const error = this.denied(attribute);
    if (error !== 0) return { ...DONE, error };
    return attribute.value === undefined ? DONE : this.context.reading(attribute);
  }

  /** The ATT error for a host that may not read it, 0 if it may. */
  private denied(attribute: ServedAttribute): number {
    const { value } = attribute;
    if (value === undefined) return 0;
    return value.read === undefined ? AttError.readNotPermitted : this.context.access(value.read, attribute);
  }

  /** @throws Refusal if the host may not read it. */
  private valueOf(attribute: ServedAttribute): Buffer {
    const { handle, fixed, value } = attribute;
    if (fixed !== undefined) return fixed;
    if (value === undefined) return u16(this.context.configurationOf(attribute));
    const error = this.denied(attribute);
    if (error !== 0) throw new Refusal(handle, error);
    return value.current;
  }
}
