/** Answers to the requests of discovery, from a device's table (Core 5.4 Vol 3 Part F 3.4.3 and 3.4.4.9). */
import { reportDefect } from '../../src/async/defects.js';
import { AttOpcode, AttError, Uuid, u16, uuidText } from '../../src/ble/hci/att.js';
import type { Attribute, Table } from './attributes.js';
import { uuidBytes } from './advertising-data.js';

/** The continuation of a read or a write. */
export interface Outcome {
  /** Milliseconds until the response. */
  readonly delayMs?: number;
  /** Called after the response. */
  readonly then?: (() => void) | undefined;
}

/** A request that is refused, with an ATT error. */
export class Refusal extends Error {
  constructor(
    readonly handle: number,
    readonly error: number,
    readonly outcome: Outcome = {},
  ) {
    super();
  }
}

/** Octets of PDUs with a fixed length; a type is a UUID of 16 or of 128 bits (Core 5.4 Vol 3 Part F 3.4.2 to 3.4.6). */
const LENGTHS: Readonly<Record<number, readonly number[]>> = {
  [AttOpcode.exchangeMtuRequest]: [3],
  [AttOpcode.exchangeMtuResponse]: [3],
  [AttOpcode.findInformationRequest]: [5],
  [AttOpcode.readByTypeRequest]: [7, 21],
  [AttOpcode.readRequest]: [3],
  [AttOpcode.readBlobRequest]: [5],
  [AttOpcode.readByGroupTypeRequest]: [7, 21],
  [AttOpcode.executeWriteRequest]: [2],
};

/** The minimum octets of PDUs that end with values or handles. */
const LEAST: Readonly<Record<number, number>> = {
  [AttOpcode.findByTypeValueRequest]: 7,
  [AttOpcode.readMultipleRequest]: 5,
  [AttOpcode.writeRequest]: 3,
  [AttOpcode.writeCommand]: 3,
  [AttOpcode.prepareWriteRequest]: 5,
};

/** @throws Refusal if a PDU of this opcode has another length. */
export const checkLength = (opcode: number, { length }: Buffer): void => {
  if (LENGTHS[opcode]?.includes(length) === false || length < (LEAST[opcode] ?? 0))
    throw new Refusal(0, AttError.invalidPdu);
};

/** The refusal that was thrown; any other error is a defect, which is reported, and for the host an Unlikely Error. */
export const refusalOf = (thrown: unknown): Refusal => {
  if (thrown instanceof Refusal) return thrown;
  reportDefect(thrown);
  return new Refusal(0, AttError.unlikelyError);
};

const FORMAT_16 = 0x01;
const FORMAT_128 = 0x02;

/**
 * The attributes between the two handles at the beginning of a request.
 * @throws Refusal if it has no attributes, or the first handle is above the last.
 */
export const inRange = <A extends Attribute>(table: Table<A>, pdu: Buffer): readonly A[] => {
  const [first, last] = [pdu.readUInt16LE(1), pdu.readUInt16LE(3)];
  if (first === 0 || first > last) throw new Refusal(first, AttError.invalidHandle);
  const inside = [...table.values()].filter(({ handle }) => handle >= first && handle <= last);
  if (inside.length === 0) throw new Refusal(first, AttError.attributeNotFound);
  return inside;
};

/**
 * The leading entries of equal length that fit.
 * @throws Refusal of handle `first` if `entries` is empty.
 */
export const listOf = (
  header: readonly number[],
  first: number,
  entries: readonly Buffer[],
  mtu: number,
): Buffer => {
  const [head] = entries;
  if (head === undefined) throw new Refusal(first, AttError.attributeNotFound);
  const end = entries.findIndex(({ length }) => length !== head.length);
  const room = Math.max(1, Math.floor((mtu - header.length) / head.length));
  const count = Math.min(room, end < 0 ? entries.length : end);
  return Buffer.concat([Buffer.from(header), ...entries.slice(0, count)]);
};

/** Types by handle. */
export const findInformation = (table: Table, mtu: number, pdu: Buffer): Buffer => {
  const entries = inRange(table, pdu).map((item) => Buffer.concat([u16(item.handle), uuidBytes(item.type)]));
  const format = entries[0]?.length === 4 ? FORMAT_16 : FORMAT_128;
  return listOf([AttOpcode.findInformationResponse, format], pdu.readUInt16LE(1), entries, mtu);
};

/** Groups that begin with a declaration of this value, which is a UUID. */
export const findByTypeValue = (table: Table, mtu: number, pdu: Buffer): Buffer => {
  const [type, value] = [uuidText(pdu.subarray(5, 7)), uuidText(pdu.subarray(7))];
  const groups = inRange(table, pdu).filter(
    (group) => group.type === type && group.fixed !== undefined && uuidText(group.fixed) === value,
  );
  const entries = groups.map(({ handle, end }) => Buffer.concat([u16(handle), u16(end)]));
  return listOf([AttOpcode.findByTypeValueResponse], pdu.readUInt16LE(1), entries, mtu);
};

/** Services, with their last handles. */
export const readByGroup = (table: Table, mtu: number, pdu: Buffer): Buffer => {
  const first = pdu.readUInt16LE(1);
  const type = uuidText(pdu.subarray(5));
  if (type !== Uuid.primaryService && type !== Uuid.secondaryService) {
    throw new Refusal(first, AttError.unsupportedGroup);
  }
  const entries = inRange(table, pdu)
    .filter((attribute) => attribute.type === type)
    .map(({ handle, end, fixed }) => Buffer.concat([u16(handle), u16(end), fixed ?? Buffer.alloc(0)]));
  return listOf([AttOpcode.readByGroupTypeResponse, entries[0]?.length ?? 0], first, entries, mtu);
};
