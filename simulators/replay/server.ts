/** The ATT server of a recorded device (Core 5.4 Vol 3 Part F 3.4): the recording's attributes, handle by handle. */
import { hexNumber, hexText } from '../../src/bytes/index.js';
import {
  AttOpcode,
  AttError,
  COMMAND_BIT,
  DEFAULT_MTU,
  LONGEST_VALUE,
  Uuid,
  u16,
  uuidText,
} from '../../src/ble/hci/att.js';
import type { Attribute } from '../ble/attributes.js';
import {
  Refusal,
  checkLength,
  findByTypeValue,
  findInformation,
  inRange,
  listOf,
  readByGroup,
  refusalOf,
} from '../ble/discovery.js';
import { Cursor, type ReadResult } from './pieces.js';
import type { Recording } from './recording.js';
import { ServedLink, type ServerContext } from './served-link.js';
import { permits } from './table.js';

/** As many parts as the longest value has at the least MTU (Core 5.4 Vol 3 Part F 3.4.6.1). */
const PREPARED_PARTS = Math.ceil(LONGEST_VALUE / (DEFAULT_MTU - 5));

/** Responses have odd opcodes; neither they nor commands are refused. */
const isRequest = (opcode: number): boolean => opcode % 2 === 0 && (opcode & COMMAND_BIT) === 0;

/** The answer to a PDU, if it has one, and what to do once it is sent. */
interface Answer {
  readonly pdu?: Buffer;
  readonly then?: (() => void) | undefined;
}

export class RecordedServer {
  private readonly cursor: Cursor;
  private link: ServedLink;
  private prepared: { handle: number; value: Buffer }[] = [];

  constructor(
    private readonly recording: Recording,
    private readonly context: ServerContext,
  ) {
    this.cursor = new Cursor(recording.links);
    this.link = new ServedLink(new Map(), context);
  }

  linkMade(): void {
    const played = this.cursor.nextLink();
    this.link = new ServedLink(played?.table ?? new Map(), this.context);
    this.prepared = [];
    this.link.play(played?.pieces[0]?.unsolicited ?? []);
  }

  linkEnded(): void {
    this.link.end();
  }

  receive(pdu: Buffer): void {
    const { pdu: response, then } = this.respond(pdu.readUInt8(0), pdu);
    if (response !== undefined) this.context.send(response);
    then?.();
  }

  private respond(opcode: number, pdu: Buffer): Answer {
    try {
      checkLength(opcode, pdu);
      return this.answer(opcode, pdu);
    } catch (thrown) {
      const { handle, error, then } = refusalOf(thrown);
      if (!isRequest(opcode)) return { then };
      const refusal = [Buffer.from([AttOpcode.errorResponse, opcode]), u16(handle), Buffer.from([error])];
      return { pdu: Buffer.concat(refusal), then };
    }
  }

  private answer(opcode: number, pdu: Buffer): Answer {
    switch (opcode) {
      case AttOpcode.exchangeMtuRequest:
        this.link.mtu = Math.max(DEFAULT_MTU, Math.min(pdu.readUInt16LE(1), this.recording.mtu));
        return {
          pdu: Buffer.concat([Buffer.from([AttOpcode.exchangeMtuResponse]), u16(this.recording.mtu)]),
        };
      case AttOpcode.findInformationRequest:
        return { pdu: findInformation(this.attributes, this.link.mtu, pdu) };
      case AttOpcode.findByTypeValueRequest:
        return { pdu: findByTypeValue(this.attributes, this.link.mtu, pdu) };
      case AttOpcode.readByTypeRequest:
        return { pdu: this.byType(pdu) };
      case AttOpcode.readByGroupTypeRequest:
        return { pdu: readByGroup(this.attributes, this.link.mtu, pdu) };
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
        return { then: this.write(pdu.readUInt16LE(1), pdu.subarray(3)) };
      case AttOpcode.prepareWriteRequest:
        return { pdu: this.prepare(pdu) };
      case AttOpcode.executeWriteRequest:
        return {
          pdu: Buffer.from([AttOpcode.executeWriteResponse]),
          then: this.execute(pdu.readUInt8(1) !== 0),
        };
      case AttOpcode.exchangeMtuResponse:
        this.link.agree(pdu.readUInt16LE(1));
        return {};
      case AttOpcode.handleValueConfirmation:
        return {};
      default:
        throw new Refusal(0, AttError.requestNotSupported);
    }
  }

  private byType(pdu: Buffer): Buffer {
    const first = pdu.readUInt16LE(1);
    const type = uuidText(pdu.subarray(5));
    const found = inRange(this.attributes, pdu).filter((one) => one.type === type);
    const declared = found.every(({ fixed }) => fixed !== undefined);
    // Only the first value comes from the recording: another read may move on.
    const entries = (declared ? found : found.slice(0, 1)).map((one) => {
      const value = this.valueOf(one);
      if (value.kind === 'refused') throw new Refusal(value.handle, value.error);
      return Buffer.concat([u16(one.handle), value.value.subarray(0, Math.min(this.link.mtu - 4, 253))]);
    });
    return listOf([AttOpcode.readByTypeResponse, entries[0]?.length ?? 0], first, entries, this.link.mtu);
  }

  private get attributes(): readonly Attribute[] {
    return [...this.link.table.values()];
  }

  private attribute(handle: number): Attribute {
    const attribute = this.link.table.get(handle);
    if (attribute === undefined) throw new Refusal(handle, AttError.invalidHandle);
    return attribute;
  }

  private valueOf(attribute: Attribute, again = false): ReadResult {
    const { handle, type, fixed } = attribute;
    if (fixed !== undefined) return { kind: 'value', value: fixed };
    if (type === Uuid.configuration) {
      return { kind: 'value', value: this.link.configurations.get(handle) ?? Buffer.alloc(2) };
    }
    const recorded = this.cursor.read(handle, again);
    if (recorded !== undefined) return recorded;
    if (!permits(attribute, 'read')) return { kind: 'refused', handle, error: AttError.readNotPermitted };
    this.context.missed(`${hexNumber(handle, 4)} was never read in the recording`);
    return { kind: 'refused', handle, error: AttError.unlikelyError };
  }

  private read(opcode: number, handle: number, offset: number): Buffer {
    const value = this.valueOf(this.attribute(handle), offset > 0);
    if (value.kind === 'refused') throw new Refusal(value.handle, value.error);
    if (offset > value.value.length) throw new Refusal(handle, AttError.invalidOffset);
    return Buffer.concat([Buffer.from([opcode]), value.value.subarray(offset, offset + this.link.mtu - 1)]);
  }

  /** Sends what was sent before the answer, and returns the task for after it. */
  private write(handle: number, value: Buffer): () => void {
    const attribute = this.attribute(handle);
    const piece = this.cursor.write(handle, value);
    const { unsolicited = [] } = piece ?? {};
    const later = (): void => this.link.play(unsolicited.filter(({ early }) => !early));
    if (piece !== undefined && piece.refused !== 0) {
      this.link.sendAll(unsolicited.filter(({ early }) => early));
      throw new Refusal(piece.refusedHandle, piece.refused, later);
    }
    if (attribute.type === Uuid.configuration) {
      if (value.length !== 2) throw new Refusal(handle, AttError.invalidLength);
      this.link.configurations.set(handle, Buffer.from(value));
    } else if (piece === undefined) {
      if (!permits(attribute, 'write')) throw new Refusal(handle, AttError.writeNotPermitted);
      this.context.missed(`${hexText(value)} was never written to ${hexNumber(handle, 4)} in the recording`);
      throw new Refusal(handle, AttError.unlikelyError);
    }
    this.link.sendAll(unsolicited.filter(({ early }) => early));
    return later;
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
}
