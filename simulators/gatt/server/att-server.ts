/** The ATT server of a described device (Core 5.4 Vol 3 Part F 3.4). */
import {
  AttError,
  AttOpcode,
  COMMAND_BIT,
  DEFAULT_MTU,
  Uuid,
  u16,
  uuidText,
} from '../../../src/ble/hci/att.js';
import {
  Refusal,
  findByTypeValue,
  findInformation,
  inRange,
  listOf,
  readByGroup,
} from '../../ble/discovery.js';
import { Timers } from '../../timers.js';
import type { TimeSource } from '../../../src/async/time.js';
import type { Permission } from '../description/services.js';
import type { ServedAttribute, ServedTable } from './table.js';
import { PreparedWrites } from './prepared-writes.js';

/** The outcome of a read or a write: an ATT error, 0 for none, and the milliseconds until the response. */
export interface Outcome {
  readonly error: number;
  readonly delayMs: number;
  /** For after the response. */
  readonly then?: () => void;
}

export interface AttContext {
  readonly time: TimeSource;
  readonly send: (pdu: Buffer) => void;
  /** The largest ATT_MTU to agree to. */
  readonly mtu: number;
  /** The ATT error for a host that lacks what is needed, 0 if it lacks nothing. */
  readonly access: (needed: Permission, attribute: ServedAttribute) => number;
  readonly configurationOf: (attribute: ServedAttribute) => number;
  /** Before a value is read from its beginning. */
  readonly reading: (attribute: ServedAttribute) => Outcome;
  readonly write: (attribute: ServedAttribute, value: Buffer) => Outcome;
  readonly confirmed: () => void;
  /** How a misbehaving device answers: never, or so many milliseconds later. */
  readonly answers: () => { readonly silent: boolean; readonly delayMs: number };
}

interface Response {
  readonly pdu?: Buffer;
  readonly delayMs?: number;
  readonly then?: (() => void) | undefined;
}

/** Responses have odd opcodes; neither they nor commands are refused. */
const isRequest = (opcode: number): boolean => opcode % 2 === 0 && (opcode & COMMAND_BIT) === 0;

/** The most of a value in a response to Read By Type (3.4.4.2). */
const MAX_IN_LIST = 253;

const NO_PROPERTY = { read: AttError.readNotPermitted, write: AttError.writeNotPermitted } as const;

export class AttServer {
  mtu = DEFAULT_MTU;
  private readonly prepared = new PreparedWrites();
  private readonly delayed: Timers;

  constructor(
    private readonly table: ServedTable,
    private readonly context: AttContext,
  ) {
    this.delayed = new Timers(context.time);
  }

  end(): void {
    this.mtu = DEFAULT_MTU;
    this.prepared.clear();
    this.delayed.clear();
  }

  receive(pdu: Buffer): void {
    const { silent, delayMs } = this.context.answers();
    if (silent) return;
    const { pdu: response, delayMs: own = 0, then } = this.respond(pdu);
    this.delayed.later(delayMs + own, () => {
      if (response !== undefined) this.context.send(response);
      then?.();
    });
  }

  private respond(pdu: Buffer): Response {
    const opcode = pdu.readUInt8(0);
    try {
      return this.answer(opcode, pdu);
    } catch (error) {
      // Thrown by Node when a request is shorter than its fields.
      const refusal = error instanceof RangeError ? new Refusal(0, AttError.invalidPdu) : error;
      if (!(refusal instanceof Refusal)) throw error;
      return isRequest(opcode) ? this.refused(opcode, refusal.handle, refusal.error) : {};
    }
  }

  private refused(opcode: number, handle: number, error: number, delayMs = 0): Response {
    return {
      pdu: Buffer.concat([Buffer.from([AttOpcode.errorResponse, opcode]), u16(handle), Buffer.from([error])]),
      delayMs,
    };
  }

  private answer(opcode: number, pdu: Buffer): Response {
    const { attributes } = this.table;
    switch (opcode) {
      case AttOpcode.exchangeMtuRequest:
        this.mtu = Math.max(DEFAULT_MTU, Math.min(pdu.readUInt16LE(1), this.context.mtu));
        return { pdu: Buffer.concat([Buffer.from([AttOpcode.exchangeMtuResponse]), u16(this.context.mtu)]) };
      case AttOpcode.findInformationRequest:
        return { pdu: findInformation(attributes, this.mtu, pdu) };
      case AttOpcode.findByTypeValueRequest:
        return { pdu: findByTypeValue(attributes, this.mtu, pdu) };
      case AttOpcode.readByTypeRequest:
        return this.readByType(pdu);
      case AttOpcode.readByGroupTypeRequest:
        return { pdu: readByGroup(attributes, this.mtu, pdu) };
      case AttOpcode.readRequest:
        return this.read(AttOpcode.readResponse, pdu.readUInt16LE(1), 0);
      case AttOpcode.readBlobRequest:
        return this.read(AttOpcode.readBlobResponse, pdu.readUInt16LE(1), pdu.readUInt16LE(3));
      case AttOpcode.readMultipleRequest:
        return this.readMultiple(pdu);
      case AttOpcode.writeRequest:
        return this.write(pdu.readUInt16LE(1), pdu.subarray(3));
      case AttOpcode.writeCommand:
        return { then: this.writable(pdu.readUInt16LE(1), pdu.subarray(3)).then };
      case AttOpcode.prepareWriteRequest:
        return this.prepare(pdu);
      case AttOpcode.executeWriteRequest:
        return this.execute(pdu.readUInt8(1) !== 0);
      case AttOpcode.handleValueConfirmation:
        return { then: this.context.confirmed };
      default:
        throw new Refusal(0, AttError.requestNotSupported);
    }
  }

  private at(handle: number): ServedAttribute {
    const attribute = this.table.byHandle.get(handle);
    if (attribute === undefined) throw new Refusal(handle, AttError.invalidHandle);
    return attribute;
  }

  private check(
    attribute: ServedAttribute,
    operation: 'read' | 'write',
    needed: Permission | undefined,
  ): void {
    const error = needed === undefined ? NO_PROPERTY[operation] : this.context.access(needed, attribute);
    if (error !== 0) throw new Refusal(attribute.handle, error);
  }

  /** @throws Refusal if the host may not read it. */
  private valueAt(attribute: ServedAttribute): Buffer {
    const { fixed, value } = attribute;
    if (fixed !== undefined) return fixed;
    if (value === undefined) return u16(this.context.configurationOf(attribute));
    this.check(attribute, 'read', value.read);
    return value.current;
  }

  private read(opcode: number, handle: number, offset: number): Response {
    const attribute = this.at(handle);
    this.valueAt(attribute);
    const { error, delayMs } = offset === 0 ? this.context.reading(attribute) : { error: 0, delayMs: 0 };
    if (error !== 0) return this.refused(opcode - 1, handle, error, delayMs);
    const value = this.valueAt(attribute);
    if (offset > value.length) throw new Refusal(handle, AttError.invalidOffset);
    return {
      pdu: Buffer.concat([Buffer.from([opcode]), value.subarray(offset, offset + this.mtu - 1)]),
      delayMs,
    };
  }

  private readByType(pdu: Buffer): Response {
    const first = pdu.readUInt16LE(1);
    const type = uuidText(pdu.subarray(5));
    const found = inRange(this.table.attributes, pdu).filter((one) => one.type === type);
    const entries: Buffer[] = [];
    let wait = 0;
    for (const attribute of found as readonly ServedAttribute[]) {
      const { value } = attribute;
      // A value that must not be read ends the list; as the first one it is the error.
      const needed = value === undefined ? 'open' : value.read;
      const denied =
        needed === undefined ? AttError.readNotPermitted : this.context.access(needed, attribute);
      const { error, delayMs } =
        denied === 0 && value !== undefined ? this.context.reading(attribute) : { error: denied, delayMs: 0 };
      if (error !== 0 && entries.length === 0) {
        return this.refused(AttOpcode.readByTypeRequest, attribute.handle, error, delayMs);
      }
      if (error !== 0) break;
      wait = Math.max(wait, delayMs);
      const most = Math.min(this.mtu - 4, MAX_IN_LIST);
      entries.push(Buffer.concat([u16(attribute.handle), this.valueAt(attribute).subarray(0, most)]));
      if (value !== undefined) break;
    }
    const header = [AttOpcode.readByTypeResponse, entries[0]?.length ?? 0];
    return { pdu: listOf(header, first, entries, this.mtu), delayMs: wait };
  }

  private readMultiple(pdu: Buffer): Response {
    const handles = Array.from({ length: Math.floor((pdu.length - 1) / 2) }, (_, index) =>
      pdu.readUInt16LE(1 + 2 * index),
    );
    if (handles.length < 2) throw new Refusal(0, AttError.invalidPdu);
    const values = handles.map((handle) => this.valueAt(this.at(handle)));
    return {
      pdu: Buffer.concat([Buffer.from([AttOpcode.readMultipleResponse]), ...values]).subarray(0, this.mtu),
    };
  }

  /** @throws Refusal if the host may not write it, or its length is wrong. */
  private writable(handle: number, value: Buffer): Outcome {
    const attribute = this.at(handle);
    const { value: served, type, subscribe } = attribute;
    const isConfiguration = type === Uuid.configuration && served === undefined;
    this.check(attribute, 'write', isConfiguration ? subscribe : served?.write);
    const most = isConfiguration ? 2 : (served?.maxLength ?? 0);
    if (value.length > most || (isConfiguration && value.length < most)) {
      throw new Refusal(handle, AttError.invalidLength);
    }
    return this.context.write(attribute, Buffer.from(value));
  }

  private write(handle: number, value: Buffer): Response {
    const { error, delayMs, then } = this.writable(handle, value);
    return error === 0
      ? { pdu: Buffer.from([AttOpcode.writeResponse]), delayMs, then }
      : this.refused(AttOpcode.writeRequest, handle, error, delayMs);
  }

  private prepare(pdu: Buffer): Response {
    const attribute = this.at(pdu.readUInt16LE(1));
    this.check(attribute, 'write', attribute.value?.write);
    this.prepared.add(attribute.handle, pdu.readUInt16LE(3), pdu.subarray(5));
    return { pdu: Buffer.concat([Buffer.from([AttOpcode.prepareWriteResponse]), pdu.subarray(1)]) };
  }

  private execute(isWanted: boolean): Response {
    if (!isWanted) {
      this.prepared.clear();
      return { pdu: Buffer.from([AttOpcode.executeWriteResponse]) };
    }
    const values = this.prepared.take((handle) => this.at(handle).value?.current ?? Buffer.alloc(0));
    const outcomes = [...values].map(([handle, value]) => ({ handle, ...this.writable(handle, value) }));
    const delayMs = Math.max(0, ...outcomes.map((one) => one.delayMs));
    const failed = outcomes.find(({ error }) => error !== 0);
    if (failed !== undefined) {
      return this.refused(AttOpcode.executeWriteRequest, failed.handle, failed.error, delayMs);
    }
    const then = (): void => outcomes.forEach((one) => one.then?.());
    return { pdu: Buffer.from([AttOpcode.executeWriteResponse]), delayMs, then };
  }
}
