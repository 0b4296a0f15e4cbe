/** All that a device offers, by handles (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import * as E from 'fp-ts/lib/Either.js';
import { AttError, AttOpcode, u16, Uuid, uuidText } from '../hci/att.js';
import type { Failure, SendRequest } from './gatt.js';

export interface FoundDescriptor {
  readonly handle: number;
  /** 4 or 32 hex digits, as that of the others. */
  readonly uuid: string;
}

export interface FoundCharacteristic extends FoundDescriptor {
  /** Bits of `Property`. `handle` is that of the value. */
  readonly properties: number;
  readonly descriptors: readonly FoundDescriptor[];
}

export interface FoundService extends FoundDescriptor {
  readonly characteristics: readonly FoundCharacteristic[];
}

type Outcome<A> = Promise<E.Either<Failure, A>>;

const LAST_HANDLE = 0xffff;
const SHORT_UUIDS = 0x01;

/** Entries of the same length, behind an opcode and `header` bytes more. */
const entriesOf = (response: Buffer, length: number): readonly Buffer[] =>
  Array.from({ length: length === 0 ? 0 : Math.floor((response.length - 2) / length) }, (_, index) =>
    response.subarray(2 + index * length, 2 + (index + 1) * length),
  );

/** Asks for everything of a range, piece by piece, until nothing is left. `lastOf`: the last handle of an entry. */
const search = async (
  send: SendRequest,
  request: (from: number) => Buffer,
  {
    from,
    to,
    sizeOf,
    lastOf,
  }: {
    readonly from: number;
    readonly to: number;
    readonly sizeOf: (response: Buffer) => number;
    readonly lastOf: (entry: Buffer) => number;
  },
): Outcome<readonly Buffer[]> => {
  const found: Buffer[] = [];
  for (let start = from; start <= to;) {
    const response = await send(request(start));
    if (response[0] === AttOpcode.errorResponse) {
      const error = response.readUInt8(4);
      return error === AttError.attributeNotFound
        ? E.right(found)
        : E.left({ reason: 'the device refused to tell what it offers', error });
    }
    const entries = entriesOf(response, response.length < 2 ? 0 : sizeOf(response));
    const last = entries.at(-1);
    if (last === undefined)
      return E.left({ reason: `the response makes no sense: ${response.toString('hex')}` });
    found.push(...entries.map((entry) => Buffer.from(entry)));
    start = Math.max(start, lastOf(last)) + 1;
  }
  return E.right(found);
};

const rangeRequest = (opcode: number, from: number, to: number, type?: string): Buffer =>
  Buffer.concat([
    Buffer.of(opcode),
    ...[u16(from), u16(to)],
    type === undefined ? Buffer.alloc(0) : Buffer.from(type, 'hex').reverse(),
  ]);

/** The first byte of a response of Read By Type says how long its entries are. */
const lengthByte = (response: Buffer): number => response.readUInt8(1);

const services = (send: SendRequest): Outcome<readonly Buffer[]> =>
  search(
    send,
    (from) => rangeRequest(AttOpcode.readByGroupTypeRequest, from, LAST_HANDLE, Uuid.primaryService),
    { from: 1, to: LAST_HANDLE, sizeOf: lengthByte, lastOf: (entry) => entry.readUInt16LE(2) },
  );

const characteristics = (send: SendRequest, from: number, to: number): Outcome<readonly Buffer[]> =>
  search(send, (start) => rangeRequest(AttOpcode.readByTypeRequest, start, to, Uuid.characteristic), {
    ...{ from, to, sizeOf: lengthByte },
    lastOf: (entry) => entry.readUInt16LE(0),
  });

const descriptors = (send: SendRequest, from: number, to: number): Outcome<readonly Buffer[]> =>
  search(send, (start) => rangeRequest(AttOpcode.findInformationRequest, start, to), {
    ...{ from, to },
    sizeOf: (response) => (response[1] === SHORT_UUIDS ? 4 : 18),
    lastOf: (entry) => entry.readUInt16LE(0),
  });

/** Primary services with their characteristics and their descriptors. Left: the device refused, or sent nonsense. */
export const discoverAll = async (send: SendRequest): Outcome<readonly FoundService[]> => {
  const groups = await services(send);
  if (E.isLeft(groups)) return groups;
  const found: FoundService[] = [];
  for (const group of groups.right) {
    const end = group.readUInt16LE(2);
    const handle = group.readUInt16LE(0);
    const declared = await characteristics(send, handle, end);
    if (E.isLeft(declared)) return declared;
    const own: FoundCharacteristic[] = [];
    for (const [index, entry] of declared.right.entries()) {
      const value = entry.readUInt16LE(3);
      const next = declared.right[index + 1]?.readUInt16LE(0) ?? end + 1;
      const described = await descriptors(send, value + 1, next - 1);
      if (E.isLeft(described)) return described;
      own.push({
        handle: value,
        uuid: uuidText(entry.subarray(5)),
        properties: entry.readUInt8(2),
        descriptors: described.right.map((one) => ({
          handle: one.readUInt16LE(0),
          uuid: uuidText(one.subarray(2)),
        })),
      });
    }
    found.push({ handle, uuid: uuidText(group.subarray(4)), characteristics: own });
  }
  return E.right(found);
};
