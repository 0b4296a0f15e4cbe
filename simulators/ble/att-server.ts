/** The ATT server of a device (Core 5.4 Vol 3 Part F 3.4), whose values come from a description or from a recording. */
import type { TimeSource } from '../../src/async/time.js';
import {
  AttError,
  AttOpcode,
  COMMAND_BIT,
  DEFAULT_MTU,
  LONGEST_VALUE,
  u16,
  uuidText,
} from '../../src/ble/hci/att.js';
import { Timers } from '../timers.js';
import type { Attribute, Table } from './attributes.js';
import {
  Refusal,
  checkLength,
  findByTypeValue,
  findInformation,
  inRange,
  listOf,
  readByGroup,
  refusalOf,
  type Outcome,
} from './discovery.js';

/** The values of a device's attributes. */
export interface Values<A extends Attribute> {
  /** A value that may be listed with others of its type; undefined: a read may change the value, or be refused. */
  listed(attribute: A): Buffer | undefined;
  /** The whole value; `offset`: where the host continues to read. @throws Refusal */
  read(attribute: A, offset: number): { readonly value: Buffer; readonly delayMs?: number };
  /** @throws Refusal */
  write(attribute: A, value: Buffer): Outcome;
  /** The value before a long write; undefined: the parts of the write are the new value. */
  valueBefore?(attribute: A): Buffer;
  /** Called before a part of a long write is queued. @throws Refusal if the host may not write the value. */
  checkWritable?(attribute: A): void;
  /** The host has confirmed an indication. */
  confirmed?(): void;
}

export interface AttContext {
  readonly time: TimeSource;
  readonly send: (pdu: Buffer) => void;
  /** The largest ATT_MTU of the device. */
  readonly mtu: number;
  /** Opcodes of requests that the device does not know. */
  readonly unsupported?: readonly number[];
  /** How a misbehaving device answers: never, or `delayMs` milliseconds later. */
  readonly misbehaviour?: () => { readonly silent: boolean; readonly delayMs: number };
}

interface Response extends Outcome {
  readonly pdu?: Buffer;
}

interface PreparedPart<A> {
  readonly attribute: A;
  readonly offset: number;
  readonly value: Buffer;
}

/** Flags of Execute Write; the others are reserved (3.4.6.3). */
const CANCEL = 0;
const EXECUTE = 1;

/** The number of parts of the longest value at the smallest MTU (3.4.6.1). */
const MAX_PARTS = Math.ceil(LONGEST_VALUE / (DEFAULT_MTU - 5));

/** The maximum bytes of a value in a response to Read By Type (3.4.4.2). */
const MAX_LISTED = 253;

const WELL_BEHAVED = { silent: false, delayMs: 0 };

/** Responses have odd opcodes; neither they nor commands and confirmations are answered. */
const isRequest = (opcode: number): boolean =>
  opcode % 2 === 0 && (opcode & COMMAND_BIT) === 0 && opcode !== AttOpcode.handleValueConfirmation;

/** A notification or an indication of a value, cut to the MTU (3.4.7). */
export const valuePdu = (
  { handle, value, mtu }: { readonly handle: number; readonly value: Buffer; readonly mtu: number },
  isIndication: boolean,
): Buffer => {
  const opcode = isIndication ? AttOpcode.handleValueIndication : AttOpcode.handleValueNotification;
  return Buffer.concat([Buffer.of(opcode), u16(handle), value.subarray(0, mtu - 3)]);
};

export class AttServer<A extends Attribute> {
  mtu = DEFAULT_MTU;
  private table: Table<A> = new Map();
  private prepared: readonly PreparedPart<A>[] = [];
  /** The MTU that the device has requested, until the host responds. */
  private requestedMtu: number | undefined;
  private readonly delayed: Timers;

  constructor(
    private readonly values: Values<A>,
    private readonly context: AttContext,
  ) {
    this.delayed = new Timers(context.time);
  }

  /** A link was made. */
  begin(table: Table<A>): void {
    this.end();
    this.table = table;
  }

  /** The link has ended. */
  end(): void {
    this.mtu = DEFAULT_MTU;
    this.requestedMtu = undefined;
    this.prepared = [];
    this.delayed.clear();
  }

  requestMtu(mtu: number): void {
    this.requestedMtu = mtu;
    this.context.send(Buffer.concat([Buffer.of(AttOpcode.exchangeMtuRequest), u16(mtu)]));
  }

  receive(pdu: Buffer): void {
    const { silent, delayMs } = this.context.misbehaviour?.() ?? WELL_BEHAVED;
    if (silent && isRequest(pdu.readUInt8(0))) return;
    const { pdu: response, delayMs: valueDelayMs = 0, then } = this.respond(pdu.readUInt8(0), pdu);
    this.delayed.later(delayMs + valueDelayMs, () => {
      if (response !== undefined) this.context.send(response);
      then?.();
    });
  }

  private respond(opcode: number, pdu: Buffer): Response {
    try {
      checkLength(opcode, pdu);
      return this.answer(opcode, pdu);
    } catch (thrown) {
      const { handle, error, outcome } = refusalOf(thrown);
      if (!isRequest(opcode)) return { then: outcome.then };
      const head = Buffer.of(AttOpcode.errorResponse, opcode);
      return { pdu: Buffer.concat([head, u16(handle), Buffer.of(error)]), ...outcome };
    }
  }

  private answer(opcode: number, pdu: Buffer): Response {
    const { table, mtu } = this;
    if (this.context.unsupported?.includes(opcode)) throw new Refusal(0, AttError.requestNotSupported);
    switch (opcode) {
      case AttOpcode.exchangeMtuRequest:
        return this.exchangeMtu(pdu.readUInt16LE(1));
      case AttOpcode.exchangeMtuResponse:
        return this.agree(pdu.readUInt16LE(1));
      case AttOpcode.findInformationRequest:
        return { pdu: findInformation(table, mtu, pdu) };
      case AttOpcode.findByTypeValueRequest:
        return { pdu: findByTypeValue(table, mtu, pdu) };
      case AttOpcode.readByTypeRequest:
        return this.readByType(pdu);
      case AttOpcode.readByGroupTypeRequest:
        return { pdu: readByGroup(table, mtu, pdu) };
      case AttOpcode.readRequest:
        return this.read(AttOpcode.readResponse, pdu.readUInt16LE(1), 0);
      case AttOpcode.readBlobRequest:
        return this.read(AttOpcode.readBlobResponse, pdu.readUInt16LE(1), pdu.readUInt16LE(3));
      case AttOpcode.readMultipleRequest:
        return this.readMultiple(pdu);
      case AttOpcode.writeRequest:
        return { pdu: Buffer.of(AttOpcode.writeResponse), ...this.write(pdu) };
      case AttOpcode.writeCommand:
        return { then: this.write(pdu).then };
      case AttOpcode.prepareWriteRequest:
        return this.prepare(pdu);
      case AttOpcode.executeWriteRequest:
        return this.execute(pdu.readUInt8(1));
      case AttOpcode.handleValueConfirmation:
        return { then: () => this.values.confirmed?.() };
      default:
        throw new Refusal(0, AttError.requestNotSupported);
    }
  }

  /** The new MTU is in effect once the response is sent (3.4.2.2). */
  private exchangeMtu(offered: number): Response {
    const { mtu } = this.context;
    return {
      pdu: Buffer.concat([Buffer.of(AttOpcode.exchangeMtuResponse), u16(mtu)]),
      then: () => (this.mtu = Math.max(DEFAULT_MTU, Math.min(offered, mtu))),
    };
  }

  private agree(offered: number): Response {
    const { requestedMtu } = this;
    if (requestedMtu !== undefined) this.mtu = Math.max(DEFAULT_MTU, Math.min(requestedMtu, offered));
    this.requestedMtu = undefined;
    return {};
  }

  private attribute(handle: number): A {
    const attribute = this.table.get(handle);
    if (attribute === undefined) throw new Refusal(handle, AttError.invalidHandle);
    return attribute;
  }

  private read(opcode: number, handle: number, offset: number): Response {
    const { value, delayMs = 0 } = this.values.read(this.attribute(handle), offset);
    if (offset > value.length) throw new Refusal(handle, AttError.invalidOffset);
    const part = value.subarray(offset, offset + this.mtu - 1);
    return { pdu: Buffer.concat([Buffer.of(opcode), part]), delayMs };
  }

  /** A value for a response that lists several. */
  private valueOf(attribute: A): ReturnType<Values<A>['read']> {
    const value = this.values.listed(attribute);
    return value === undefined ? this.values.read(attribute, 0) : { value };
  }

  private readByType(pdu: Buffer): Response {
    const type = uuidText(pdu.subarray(5));
    const all = inRange(this.table, pdu).filter((attribute) => attribute.type === type);
    // Reading has effects: a value that may change is read only if it is the first that the host requests.
    const listed = all.every((item) => this.values.listed(item) !== undefined) ? all : all.slice(0, 1);
    let wait = 0;
    const entries = listed.map((attribute) => {
      const { value, delayMs = 0 } = this.valueOf(attribute);
      wait = Math.max(wait, delayMs);
      return Buffer.concat([u16(attribute.handle), value.subarray(0, Math.min(this.mtu - 4, MAX_LISTED))]);
    });
    const header = [AttOpcode.readByTypeResponse, entries[0]?.length ?? 0];
    return { pdu: listOf(header, pdu.readUInt16LE(1), entries, this.mtu), delayMs: wait };
  }

  private readMultiple(pdu: Buffer): Response {
    if (pdu.length % 2 === 0) throw new Refusal(0, AttError.invalidPdu);
    const values = Array.from({ length: (pdu.length - 1) / 2 }, (_, index) =>
      this.valueOf(this.attribute(pdu.readUInt16LE(1 + 2 * index))),
    );
    const pdus = [Buffer.of(AttOpcode.readMultipleResponse), ...values.map(({ value }) => value)];
    const delayMs = Math.max(...values.map((value) => value.delayMs ?? 0));
    return { pdu: Buffer.concat(pdus).subarray(0, this.mtu), delayMs };
  }

  private write(pdu: Buffer): Outcome {
    return this.values.write(this.attribute(pdu.readUInt16LE(1)), Buffer.from(pdu.subarray(3)));
  }

  private prepare(pdu: Buffer): Response {
    const attribute = this.attribute(pdu.readUInt16LE(1));
    this.values.checkWritable?.(attribute);
    if (this.prepared.length >= MAX_PARTS) throw new Refusal(attribute.handle, AttError.prepareQueueFull);
    const part = { attribute, offset: pdu.readUInt16LE(3), value: Buffer.from(pdu.subarray(5)) };
    this.prepared = [...this.prepared, part];
    return { pdu: Buffer.concat([Buffer.of(AttOpcode.prepareWriteResponse), pdu.subarray(1)]) };
  }

  private execute(flags: number): Response {
    if (flags > EXECUTE) throw new Refusal(0, AttError.invalidPdu);
    const parts = flags === CANCEL ? [] : this.prepared;
    this.prepared = [];
    const outcomes = [...this.joined(parts)].map(([attribute, value]) => this.values.write(attribute, value));
    return {
      pdu: Buffer.of(AttOpcode.executeWriteResponse),
      delayMs: Math.max(0, ...outcomes.map(({ delayMs = 0 }) => delayMs)),
      then: () => outcomes.forEach(({ then }) => then?.()),
    };
  }

  /**
   * Whole values, in the order of their first parts.
   * @throws Refusal if a part begins after the end of its value.
   */
  private joined(parts: readonly PreparedPart<A>[]): ReadonlyMap<A, Buffer> {
    const wholes = new Map<A, Buffer>();
    for (const { attribute, offset, value } of parts) {
      const before = this.values.valueBefore?.(attribute);
      const whole = wholes.get(attribute) ?? before?.subarray(0, offset) ?? Buffer.alloc(0);
      const start = before === undefined ? whole.length : offset;
      if (start > whole.length) throw new Refusal(attribute.handle, AttError.invalidOffset);
      wholes.set(attribute, Buffer.concat([whole.subarray(0, start), value]));
    }
    return wholes;
  }
}
