/** The ATT server of a described device (Core 5.4 Vol 3 Part F 3.4). */
import { AttError, AttOpcode, COMMAND_BIT, DEFAULT_MTU, Uuid, u16 } from '../../../src/ble/hci/att.js';
import {
  Refusal,
  checkLength,
  findByTypeValue,
  findInformation,
  readByGroup,
  refusalOf,
} from '../../ble/discovery.js';
import { Timers } from '../../timers.js';
import type { TimeSource } from '../../../src/async/time.js';
import type { Permission } from '../description/services.js';
import { attributeAt, type ServedAttribute, type ServedTable } from './table.js';
import { PreparedWrites } from './prepared-writes.js';
import { Reads, type ReadContext } from './reads.js';
import { refused, type Outcome, type Response } from './response.js';

export interface AttContext extends ReadContext {
  readonly time: TimeSource;
  readonly send: (pdu: Buffer) => void;
  /** The largest ATT_MTU to agree to. */
  readonly mtu: number;
  readonly write: (attribute: ServedAttribute, value: Buffer) => Outcome;
  readonly confirmed: () => void;
  /** How a misbehaving device answers: never, or so many milliseconds later. */
  readonly answers: () => { readonly silent: boolean; readonly delayMs: number };
}

/** Flags of Execute Write; the others are reserved (3.4.6.3). */
const CANCEL = 0;
const EXECUTE = 1;

/** Responses have odd opcodes; neither they nor commands and confirmations are answered. */
const isRequest = (opcode: number): boolean =>
  opcode % 2 === 0 && (opcode & COMMAND_BIT) === 0 && opcode !== AttOpcode.handleValueConfirmation;

/** Whether it is a client configuration, whose value each host has for itself. */
const isConfiguration = ({ type, value }: ServedAttribute): boolean =>
  type === Uuid.configuration && value === undefined;

export class AttServer {
  mtu = DEFAULT_MTU;
  private readonly prepared = new PreparedWrites();
  private readonly reads: Reads;
  private readonly delayed: Timers;

  constructor(
    private readonly table: ServedTable,
    private readonly context: AttContext,
  ) {
    this.reads = new Reads(table, context);
    this.delayed = new Timers(context.time);
  }

  end(): void {
    this.mtu = DEFAULT_MTU;
    this.prepared.clear();
    this.delayed.clear();
  }

  receive(pdu: Buffer): void {
    const { silent, delayMs } = this.context.answers();
    if (silent && isRequest(pdu.readUInt8(0))) return;
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
    } catch (thrown) {
      const { handle, error } = refusalOf(thrown);
      return isRequest(opcode) ? refused(opcode, handle, error) : {};
    }
  }

  private answer(opcode: number, pdu: Buffer): Response {
    const { attributes } = this.table;
    checkLength(opcode, pdu);
    switch (opcode) {
      case AttOpcode.exchangeMtuRequest:
        return this.exchangeMtu(pdu.readUInt16LE(1));
      case AttOpcode.findInformationRequest:
        return { pdu: findInformation(attributes, this.mtu, pdu) };
      case AttOpcode.findByTypeValueRequest:
        return { pdu: findByTypeValue(attributes, this.mtu, pdu) };
      case AttOpcode.readByTypeRequest:
        return this.reads.readByType(pdu, this.mtu);
      case AttOpcode.readByGroupTypeRequest:
        return { pdu: readByGroup(attributes, this.mtu, pdu) };
      case AttOpcode.readRequest:
        return this.reads.read(pdu, this.mtu);
      case AttOpcode.readBlobRequest:
        return this.reads.readBlob(pdu, this.mtu);
      case AttOpcode.readMultipleRequest:
        return this.reads.readMultiple(pdu, this.mtu);
      case AttOpcode.writeRequest:
        return this.write(pdu.readUInt16LE(1), pdu.subarray(3));
      case AttOpcode.writeCommand:
        return { then: this.writable(pdu.readUInt16LE(1), pdu.subarray(3)).then };
      case AttOpcode.prepareWriteRequest:
        return this.prepare(pdu);
      case AttOpcode.executeWriteRequest:
        return this.execute(pdu.readUInt8(1));
      case AttOpcode.handleValueConfirmation:
        return { then: this.context.confirmed };
      default:
        throw new Refusal(0, AttError.requestNotSupported);
    }
  }

  /** It is in effect once the response is sent (3.4.2.2). */
  private exchangeMtu(mtu: number): Response {
    const own = this.context.mtu;
    return {
      pdu: Buffer.concat([Buffer.from([AttOpcode.exchangeMtuResponse]), u16(own)]),
      then: () => (this.mtu = Math.max(DEFAULT_MTU, Math.min(mtu, own))),
    };
  }

  /** @throws Refusal if the host may not write it. */
  private checkWritable(attribute: ServedAttribute): void {
    const needed: Permission | undefined = isConfiguration(attribute)
      ? attribute.subscribe
      : attribute.value?.write;
    const error = needed === undefined ? AttError.writeNotPermitted : this.context.access(needed, attribute);
    if (error !== 0) throw new Refusal(attribute.handle, error);
  }

  /** @throws Refusal if the host may not write it, or its length is wrong. */
  private writable(handle: number, value: Buffer): Outcome {
    const attribute = attributeAt(this.table, handle);
    this.checkWritable(attribute);
    const most = isConfiguration(attribute) ? 2 : (attribute.value?.maxLength ?? 0);
    if (value.length > most || (isConfiguration(attribute) && value.length < most)) {
      throw new Refusal(handle, AttError.invalidLength);
    }
    return this.context.write(attribute, Buffer.from(value));
  }

  private write(handle: number, value: Buffer): Response {
    const { error, delayMs, then } = this.writable(handle, value);
    return error === 0
      ? { pdu: Buffer.from([AttOpcode.writeResponse]), delayMs, then }
      : refused(AttOpcode.writeRequest, handle, error, delayMs);
  }

  private prepare(pdu: Buffer): Response {
    const attribute = attributeAt(this.table, pdu.readUInt16LE(1));
    this.checkWritable(attribute);
    this.prepared.add(attribute.handle, pdu.readUInt16LE(3), pdu.subarray(5));
    return { pdu: Buffer.concat([Buffer.from([AttOpcode.prepareWriteResponse]), pdu.subarray(1)]) };
  }

  /** The value until now. */
  private valueAt(handle: number): Buffer {
    const attribute = attributeAt(this.table, handle);
    return attribute.value?.current ?? u16(this.context.configurationOf(attribute));
  }

  private execute(flags: number): Response {
    if (flags > EXECUTE) throw new Refusal(0, AttError.invalidPdu);
    if (flags === CANCEL) {
      this.prepared.clear();
      return { pdu: Buffer.from([AttOpcode.executeWriteResponse]) };
    }
    const values = this.prepared.take((handle) => this.valueAt(handle));
    const outcomes = [...values].map(([handle, value]) => ({ handle, ...this.writable(handle, value) }));
    const delayMs = Math.max(0, ...outcomes.map((one) => one.delayMs));
    const failed = outcomes.find(({ error }) => error !== 0);
    if (failed !== undefined) {
      return refused(AttOpcode.executeWriteRequest, failed.handle, failed.error, delayMs);
    }
    const then = (): void => outcomes.forEach((one) => one.then?.());
    return { pdu: Buffer.from([AttOpcode.executeWriteResponse]), delayMs, then };
  }
}
