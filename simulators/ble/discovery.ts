/** Answers to the requests of discovery, from a device's table (Core 5.4 Vol 3 Part F 3.4.3 and 3.4.4.9). */
import { AttOpcode, AttError, Uuid, u16, uuidText } from '../../src/ble/hci/att.js';
import type { Attribute } from './attributes.js';
import { uuidBytes } from './advertising-data.js';

/** A request that cannot be answered. */
export class Refusal extends Error {
  constructor(
    readonly handle: number,
    readonly error: number,
    /** What to do once the refusal is sent. */
    readonly then?: () => void,
  ) {
    super();
  }
}

type Table = readonly Attribute[];

const FORMAT_16 = 0x01;
const FORMAT_128 = 0x02;

/**
 * The attributes between the two handles at the beginning of a request.
 * @throws Refusal if there are none, or the handles are the wrong way round.
 */
export const inRange = (table: Table, pdu: Buffer): Table => {
  const [first, last] = [pdu.readUInt16LE(1), pdu.readUInt16LE(3)];
  if (first === 0 || first > last) throw new Refusal(first, AttError.invalidHandle);
  const inside = table.filter(({ handle }) => handle >= first && handle <= last);
  if (inside.length === 0) throw new Refusal(first, AttError.attributeNotFound);
  return inside;
};

/**
 * As many entries as fit, all as long as the first.
 * @throws Refusal of handle `first` if there are none.
 */
export const listOf = (
  header: readonly number[],
  first: number,
  entries: readonly Buffer[],
  mtu: number,
): Buffer => {
  const [one] = entries;
  if (one === undefined) throw new Refusal(first, AttError.attributeNotFound);
  const other = entries.findIndex(({ length }) => length !== one.length);
  const room = Math.max(1, Math.floor((mtu - header.length) / one.length));
  const count = Math.min(room, other < 0 ? entries.length : other);
  return Buffer.concat([Buffer.from(header), ...entries.slice(0, count)]);
};

/** Types by handle. */
export const findInformation = (table: Table, mtu: number, pdu: Buffer): Buffer => {
  const entries = inRange(table, pdu).map((one) => Buffer.concat([u16(one.handle), uuidBytes(one.type)]));
  const format = entries[0]?.length === 4 ? FORMAT_16 : FORMAT_128;
  return listOf([AttOpcode.findInformationResponse, format], pdu.readUInt16LE(1), entries, mtu);
};

/** Groups that begin with a declaration of this value, which is a UUID. */
export const findByTypeValue = (table: Table, mtu: number, pdu: Buffer): Buffer => {
  const [type, value] = [uuidText(pdu.subarray(5, 7)), uuidText(pdu.subarray(7))];
  const found = inRange(table, pdu).filter(
    ({ type: has, fixed }) => has === type && fixed !== undefined && uuidText(fixed) === value,
  );
  const entries = found.map(({ handle, end }) => Buffer.concat([u16(handle), u16(end)]));
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
    .filter((one) => one.type === type)
    .map(({ handle, end, fixed }) => Buffer.concat([u16(handle), u16(end), fixed ?? Buffer.alloc(0)]));
  return listOf([AttOpcode.readByGroupTypeResponse, entries[0]?.length ?? 0], first, entries, mtu);
};
