/** A device's attributes, as discovered on one link (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import { uuidBytes } from '../ble/advertising-data.js';
import { AttOpcode } from '../ble/att.js';
import { unlessShort } from '../../src/bytes/index.js';
import { AttError, Property, Uuid, uuidText } from './att.js';
import type { Exchange } from './exchanges.js';

export interface Attribute {
  readonly handle: number;
  /** 4 or 32 lower-case hex digits. */
  readonly type: string;
  /** The last handle of the group that it begins; its own if it begins none. */
  readonly end: number;
  /** A declaration's value, which never changes; undefined: it is read from the recording. */
  readonly fixed: Buffer | undefined;
  /** Of a characteristic's value, as declared; undefined for everything else. */
  readonly properties: number | undefined;
}

type Found = Map<number, Attribute>;

const add = (found: Found, attribute: Partial<Attribute> & Pick<Attribute, 'handle' | 'type'>): void => {
  const { handle } = attribute;
  const known = found.get(handle);
  // Find Information knows less of a declaration than the request that was made for it.
  if (known !== undefined && attribute.fixed === undefined && attribute.properties === undefined) return;
  found.set(handle, { end: handle, fixed: undefined, properties: undefined, ...attribute });
};

/** Entries of the same length, behind a header of an opcode and that length. */
export const entriesOf = (response: Buffer): readonly Buffer[] => {
  const length = response.readUInt8(1);
  if (length === 0) return [];
  const all: Buffer[] = [];
  for (let at = 2; at + length <= response.length; at += length) {
    all.push(response.subarray(at, at + length));
  }
  return all;
};

const services = (found: Found, request: Buffer, response: Buffer): void => {
  const type = uuidText(request.subarray(5));
  for (const entry of entriesOf(response)) {
    add(found, {
      handle: entry.readUInt16LE(0),
      type,
      end: entry.readUInt16LE(2),
      fixed: Buffer.from(entry.subarray(4)),
    });
  }
};

const servicesByUuid = (found: Found, request: Buffer, response: Buffer): void => {
  const fixed = Buffer.from(request.subarray(7));
  for (let at = 1; at + 4 <= response.length; at += 4) {
    add(found, {
      handle: response.readUInt16LE(at),
      type: uuidText(request.subarray(5, 7)),
      end: response.readUInt16LE(at + 2),
      fixed,
    });
  }
};

const byType = (found: Found, request: Buffer, response: Buffer): void => {
  const type = uuidText(request.subarray(5));
  for (const entry of entriesOf(response)) {
    const handle = entry.readUInt16LE(0);
    const value = Buffer.from(entry.subarray(2));
    if (type === Uuid.characteristic && value.length >= 5) {
      add(found, { handle, type, fixed: value });
      const properties = value.readUInt8(0);
      add(found, { handle: value.readUInt16LE(1), type: uuidText(value.subarray(3)), properties });
    } else if (type === Uuid.include) add(found, { handle, type, fixed: value });
    else add(found, { handle, type });
  }
};

const SHORT_UUIDS = 0x01;

const information = (found: Found, response: Buffer): void => {
  const size = response.readUInt8(1) === SHORT_UUIDS ? 2 : 16;
  for (let at = 2; at + 2 + size <= response.length; at += 2 + size) {
    const type = uuidText(response.subarray(at + 2, at + 2 + size));
    add(found, { handle: response.readUInt16LE(at), type });
  }
};

/** The attributes in a response, by its opcode. */
const lessons: Readonly<Record<number, (found: Found, request: Buffer, response: Buffer) => void>> = {
  [AttOpcode.readByGroupTypeResponse]: services,
  [AttOpcode.findByTypeValueResponse]: servicesByUuid,
  [AttOpcode.readByTypeResponse]: byType,
  [AttOpcode.findInformationResponse]: (found, _request, response) => information(found, response),
};

export const isService = ({ type }: Attribute): boolean =>
  type === Uuid.primaryService || type === Uuid.secondaryService;

/** Attributes by handle, in order. */
export type Table = ReadonlyMap<number, Attribute>;

/** The attributes that were discovered on one link. */
export interface Discovery {
  readonly found: Table;
  /** Whether the host searched for primary services to the end: there are no others. */
  readonly complete: boolean;
}

const LAST_HANDLE = 0xffff;

const FIRST_HANDLE = 0x0001;

const asksForServices = (request: Buffer): boolean =>
  request[0] === AttOpcode.readByGroupTypeRequest && uuidText(request.subarray(5)) === Uuid.primaryService;

/** Nothing follows, or the service that has the last handle is there. */
const endsServices = (request: Buffer, response: Buffer): boolean =>
  request.readUInt16LE(3) === LAST_HANDLE &&
  (response[0] === AttOpcode.errorResponse
    ? response[4] === AttError.attributeNotFound
    : entriesOf(response).some((entry) => entry.readUInt16LE(2) === LAST_HANDLE));

export const inOrder = (attributes: Iterable<Attribute>): Table =>
  new Map([...attributes].sort((a, b) => a.handle - b.handle).map((one) => [one.handle, one]));

/** The discovery among a link's exchanges; empty if the host knew the device already. */
export const discoveryOf = (exchanges: readonly Exchange[]): Discovery => {
  const found: Found = new Map();
  const search = { begun: false, ended: false };
  for (const { request, response } of exchanges) {
    if (response === undefined) continue;
    unlessShort(() => {
      lessons[response.readUInt8(0)]?.(found, request, response);
      if (!asksForServices(request)) return;
      search.begun ||= request.readUInt16LE(1) === FIRST_HANDLE;
      search.ended ||= search.begun && endsServices(request, response);
    });
  }
  return { found: inOrder(found.values()), complete: search.ended };
};

/** The configuration descriptor of a characteristic's value, if it was discovered. */
export const configurationOf = (attributes: Table, value: number): number | undefined => {
  for (const attribute of attributes.values()) {
    if (attribute.handle <= value) continue;
    if (attribute.type === Uuid.characteristic || isService(attribute)) return undefined;
    if (attribute.type === Uuid.configuration) return attribute.handle;
  }
  return undefined;
};

/** Whether a characteristic may be read or written at all, as declared; a descriptor may. */
export const permits = ({ properties }: Attribute, wanted: 'read' | 'write'): boolean => {
  if (properties === undefined) return true;
  const bits = wanted === 'read' ? Property.read : Property.write | Property.writeWithoutResponse;
  return (properties & bits) !== 0;
};

/** An attribute's type as it stands in a packet. */
export const typeBytes = ({ type }: Attribute): Buffer => uuidBytes(type);
