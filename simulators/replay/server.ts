/** The ATT server of a recorded device (Core 5.4 Vol 3 Part F 3.4): the recording's attributes, handle by handle. */
import type { Cancel, Clock } from '../../src/time.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import {
  AttError,
  COMMAND_BIT,
  DEFAULT_MTU,
  Uuid,
  handleText,
  hex,
  isEnabling,
  u16,
  uuidText,
} from './att.js';
import { Refusal, findByTypeValue, findInformation, inRange, listOf, readByGroup } from './discovery.js';
import { Head, type RecordedTold } from './pieces.js';
import type { Recording } from './recording.js';
import { configurationOf, permits, type Attribute, type Table } from './table.js';

export interface ServerSurroundings {
  readonly clock: Clock;
  /** An ATT packet for the host. */
  readonly send: (pdu: Buffer) => void;
  /** The host did what the recording does not have, or cannot be told all of it; a sentence. */
  readonly missed: (what: string) => void;
}

/** A value as an answer, or an ATT error. */
type Value =
  { readonly kind: 'value'; readonly value: Buffer } | { readonly kind: 'refused'; readonly error: number };

/** How many timers run at a time for what follows one write: each late by a moment, all one after the other would add up. */
const TIMERS = 100;

/** As many parts as the longest value, 512 bytes, has at the least MTU (Core 5.4 Vol 3 Part F 3.2.9 and 3.4.6.1). */
const PREPARED_PARTS = Math.ceil(512 / (DEFAULT_MTU - 5));

export class RecordedServer {
  private readonly head: Head;
  /** Of this link. */
  private table: Table = new Map();
  private attributes: readonly Attribute[] = [];
  private mtu = DEFAULT_MTU;
  /** The MTU that the device has asked for and was not answered. */
  private wantedMtu: number | undefined;
  /** Handles of which values were cut on this link. */
  private cut = new Set<number>();
  /** Client configurations of this link, by handle. */
  private configurations = new Map<number, Buffer>();
  private prepared: { handle: number; value: Buffer }[] = [];
  private readonly timers = new Set<Cancel>();

  constructor(
    private readonly recording: Recording,
    private readonly surroundings: ServerSurroundings,
  ) {
    this.head = new Head(recording.links);
  }

  linkMade(): void {
    const link = this.head.nextLink();
    this.table = link?.table ?? new Map();
    this.attributes = [...this.table.values()];
    this.mtu = DEFAULT_MTU;
    this.wantedMtu = undefined;
    this.cut = new Set();
    this.configurations = new Map();
    this.prepared = [];
    this.play(link?.pieces[0]?.told ?? []);
  }

  linkEnded(): void {
    for (const cancel of this.timers) cancel();
    this.timers.clear();
  }

  receive(pdu: Buffer): void {
    const opcode = pdu.readUInt8(0);
    try {
      const answer = this.answer(opcode, pdu);
      if (answer !== undefined) this.surroundings.send(answer.pdu);
      answer?.then?.();
    } catch (error) {
      // Node says so when a request is shorter than its fields.
      const refusal = error instanceof RangeError ? new Refusal(0, AttError.invalidPdu) : error;
      if (!(refusal instanceof Refusal)) throw error;
      if ((opcode & COMMAND_BIT) === 0) this.refuse(opcode, refusal.handle, refusal.error);
    }
  }

  private refuse(opcode: number, handle: number, error: number): void {
    this.surroundings.send(
      Buffer.concat([Buffer.from([AttOpcode.errorResponse, opcode]), u16(handle), Buffer.from([error])]),
    );
  }

  /** The answer to a request, and what to do once it is sent. */
  private answer(opcode: number, pdu: Buffer): { pdu: Buffer; then?: () => void } | undefined {
    switch (opcode) {
      case AttOpcode.exchangeMtuRequest:
        this.mtu = Math.max(DEFAULT_MTU, Math.min(pdu.readUInt16LE(1), this.recording.mtu));
        return {
          pdu: Buffer.concat([Buffer.from([AttOpcode.exchangeMtuResponse]), u16(this.recording.mtu)]),
        };
      case AttOpcode.findInformationRequest:
        return { pdu: findInformation(this.attributes, this.mtu, pdu) };
      case AttOpcode.findByTypeValueRequest:
        return { pdu: findByTypeValue(this.attributes, this.mtu, pdu) };
      case AttOpcode.readByTypeRequest:
        return { pdu: this.byType(pdu) };
      case AttOpcode.readByGroupTypeRequest:
        return { pdu: readByGroup(this.attributes, this.mtu, pdu) };
      case AttOpcode.readRequest:
        return { pdu: this.read(AttOpcode.readResponse, pdu.readUInt16LE(1), 0) };
      case AttOpcode.readBlobRequest:
        return { pdu: this.read(AttOpcode.readBlobResponse, pdu.readUInt16LE(1), pdu.readUInt16LE(3)) };
      case AttOpcode.writeRequest:
        return {
          pdu: Buffer.from([AttOpcode.writeResponse]),
          then: this.write(pdu.readUInt16LE(1), pdu.subarray(3)),
        };
      case AttOpcode.writeCommand:
        this.write(pdu.readUInt16LE(1), pdu.subarray(3))();
        return undefined;
      case AttOpcode.prepareWriteRequest:
        return { pdu: this.prepare(pdu) };
      case AttOpcode.executeWriteRequest:
        return {
          pdu: Buffer.from([AttOpcode.executeWriteResponse]),
          then: this.execute(pdu.readUInt8(1) !== 0),
        };
      case AttOpcode.exchangeMtuResponse:
        this.agree(pdu.readUInt16LE(1));
        return undefined;
      case AttOpcode.handleValueConfirmation:
      case AttOpcode.errorResponse:
        return undefined;
      default:
        throw new Refusal(0, AttError.requestNotSupported);
    }
  }

  private byType(pdu: Buffer): Buffer {
    const first = pdu.readUInt16LE(1);
    const type = uuidText(pdu.subarray(5));
    const found = inRange(this.attributes, pdu).filter((one) => one.type === type);
    const declared = found.every(({ fixed }) => fixed !== undefined);
    // Of what is read from the recording the first alone: another read may move on.
    const entries = (declared ? found : found.slice(0, 1)).map((one) => {
      const value = this.valueOf(one);
      if (value.kind === 'refused') throw new Refusal(one.handle, value.error);
      return Buffer.concat([u16(one.handle), value.value.subarray(0, Math.min(this.mtu - 4, 253))]);
    });
    return listOf([AttOpcode.readByTypeResponse, entries[0]?.length ?? 0], first, entries, this.mtu);
  }

  private attribute(handle: number): Attribute {
    const attribute = this.table.get(handle);
    if (attribute === undefined) throw new Refusal(handle, AttError.invalidHandle);
    return attribute;
  }

  private valueOf(attribute: Attribute, again = false): Value {
    const { handle, type, fixed } = attribute;
    if (fixed !== undefined) return { kind: 'value', value: fixed };
    if (type === Uuid.configuration) {
      return { kind: 'value', value: this.configurations.get(handle) ?? Buffer.alloc(2) };
    }
    const recorded = this.head.read(handle, again);
    if (recorded !== undefined) return recorded;
    if (!permits(attribute, 'read')) return { kind: 'refused', error: AttError.readNotPermitted };
    this.surroundings.missed(`${handleText(handle)} was never read in the recording`);
    return { kind: 'refused', error: AttError.unlikely };
  }

  private read(opcode: number, handle: number, offset: number): Buffer {
    const value = this.valueOf(this.attribute(handle), offset > 0);
    if (value.kind === 'refused') throw new Refusal(handle, value.error);
    if (offset > value.value.length) throw new Refusal(handle, AttError.invalidOffset);
    return Buffer.concat([Buffer.from([opcode]), value.value.subarray(offset, offset + this.mtu - 1)]);
  }

  /** What is to happen after the answer. */
  private write(handle: number, value: Buffer): () => void {
    const attribute = this.attribute(handle);
    const piece = this.head.write(handle, value);
    if (piece !== undefined && piece.refused !== 0) throw new Refusal(handle, piece.refused);
    if (attribute.type === Uuid.configuration) {
      if (value.length !== 2) throw new Refusal(handle, AttError.invalidLength);
      this.configurations.set(handle, Buffer.from(value));
    } else if (piece === undefined) {
      if (!permits(attribute, 'write')) throw new Refusal(handle, AttError.writeNotPermitted);
      this.surroundings.missed(`${hex(value)} was never written to ${handleText(handle)} in the recording`);
      throw new Refusal(handle, AttError.unlikely);
    }
    return () => this.play(piece?.told ?? []);
  }

  private prepare(pdu: Buffer): Buffer {
    const { handle } = this.attribute(pdu.readUInt16LE(1));
    if (this.prepared.length >= PREPARED_PARTS) throw new Refusal(handle, AttError.prepareQueueFull);
    this.prepared.push({ handle, value: pdu.subarray(5) });
    return Buffer.concat([Buffer.from([AttOpcode.prepareWriteResponse]), pdu.subarray(1)]);
  }

  private execute(wanted: boolean): () => void {
    const { prepared } = this;
    this.prepared = [];
    if (!wanted) return () => undefined;
    const handles = [...new Set(prepared.map(({ handle }) => handle))];
    const plays = handles.map((handle) => {
      const parts = prepared.filter((part) => part.handle === handle);
      return this.write(handle, Buffer.concat(parts.map(({ value }) => value)));
    });
    return () => plays.forEach((play) => play());
  }

  /** The host's answer to what the device asked for. */
  private agree(offered: number): void {
    if (this.wantedMtu !== undefined) this.mtu = Math.max(DEFAULT_MTU, Math.min(this.wantedMtu, offered));
    this.wantedMtu = undefined;
  }

  /** Tells what was told, at its time after `since`; what an earlier piece still has to tell goes on. */
  private play(told: readonly RecordedTold[], from = 0, since = 0): void {
    const some = told.slice(from, from + TIMERS);
    const last = some.at(-1);
    for (const one of some) {
      const cancel = this.surroundings.clock.after(one.after - since, () => {
        this.timers.delete(cancel);
        this.tell(one);
        if (one === last) this.play(told, from + TIMERS, one.after);
      });
      this.timers.add(cancel);
    }
  }

  private tell(told: RecordedTold): void {
    if (told.kind === 'mtuRequest') {
      this.wantedMtu = told.mtu;
      this.surroundings.send(Buffer.concat([Buffer.from([AttOpcode.exchangeMtuRequest]), u16(told.mtu)]));
      return;
    }
    if (!this.isHeard(told)) return;
    const { handle, value, confirmed } = told;
    const opcode = confirmed ? AttOpcode.handleValueIndication : AttOpcode.handleValueNotification;
    const room = this.mtu - 3;
    if (value.length > room) this.tellOfCut(handle, value.length);
    this.surroundings.send(Buffer.concat([Buffer.from([opcode]), u16(handle), value.subarray(0, room)]));
  }

  /** What the host has subscribed to; without a word of the host, also what the recorded one was told unasked. */
  private isHeard({ handle, unasked }: RecordedTold & { kind: 'value' }): boolean {
    const configuration = configurationOf(this.table, handle);
    if (configuration === undefined) return true;
    const set = this.configurations.get(configuration);
    return set === undefined ? unasked : isEnabling(set);
  }

  /** Once for each link: a device may tell hundreds of values a second. */
  private tellOfCut(handle: number, length: number): void {
    if (this.cut.has(handle)) return;
    this.cut.add(handle);
    this.surroundings.missed(
      `values that ${handleText(handle)} tells are cut: ${length} bytes, of which the link's MTU of ${this.mtu} ` +
        `has room for ${this.mtu - 3}; ask for an MTU of ${length + 3}`,
    );
  }
}
