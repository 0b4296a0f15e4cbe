/** A device's attributes, as discovered on one link (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import { AttError, AttOpcode, Property, Uuid, uuidText } from '../../src/ble/hci/att.js';
import { entriesOf } from '../../src/ble/hci/discovery.js';
import { learn, type Attribute, type Found, type Table } from '../ble/attributes.js';
import { unlessShort, u16 } from '../../src/bytes/index.js';
import type { Exchange } from './exchanges.js';

export const isService = ({ type }: Attribute): boolean =>
  type === Uuid.primaryService || type === Uuid.secondaryService;

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
  u16.read(request, 3) === LAST_HANDLE &&
  (response[0] === AttOpcode.errorResponse
    ? response[4] === AttError.attributeNotFound
    : entriesOf(response).some((entry) => u16.read(entry, 2) === LAST_HANDLE));

export const inOrder = (attributes: Iterable<Attribute>): Table =>
  new Map([...attributes].sort((a, b) => a.handle - b.handle).map((one) => [one.handle, one]));

/** The discovery among a link's exchanges; empty if the host knew the device already. */
export const discoveryOf = (exchanges: readonly Exchange[]): Discovery => {
  const found: Found = new Map();
  const search = { begun: false, ended: false };
  for (const { request, response } of exchanges) {
    if (response === undefined) continue;
    unlessShort(() => {
      learn(found, request, response);
      if (!asksForServices(request)) return;
      search.begun ||= u16.read(request, 1) === FIRST_HANDLE;
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
