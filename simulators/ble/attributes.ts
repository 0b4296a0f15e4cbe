/** A device's attributes, from the responses of discovery (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import { u16, u8 } from '../../src/bytes/index.js';
import { AttOpcode, Uuid, uuidText } from '../../src/ble/hci/att.js';
import { entriesOf } from '../../src/ble/hci/discovery.js';

export interface Attribute {
  readonly handle: number;
  /** 4 or 32 lower-case hex digits. */
  readonly type: string;
  /** The last handle of the group that the attribute begins; else its own handle. */
  readonly end: number;
  /** A declaration's value, which never changes; undefined for all others. */
  readonly fixed: Buffer | undefined;
  /** The properties of a characteristic's value, as declared; undefined for other attributes. */
  readonly properties: number | undefined;
}

/** Attributes by handle, in order. */
export type Table<A extends Attribute = Attribute> = ReadonlyMap<number, A>;

/** Keys are handles, in the order of discovery. */
export type AttributeMap = Map<number, Attribute>;

export const isService = ({ type }: Attribute): boolean =>
  type === Uuid.primaryService || type === Uuid.secondaryService;

/** Whether an attribute declares a service, an include or a characteristic. */
export const isDeclaration = (attribute: Attribute): boolean =>
  isService(attribute) || attribute.type === Uuid.include || attribute.type === Uuid.characteristic;

const add = (map: AttributeMap, attribute: Partial<Attribute> & Pick<Attribute, 'handle' | 'type'>): void => {
  const { handle } = attribute;
  const earlierAttribute = map.get(handle);
  // Find Information shows less of a declaration than the request for declarations of its type.
  if (earlierAttribute !== undefined && attribute.fixed === undefined && attribute.properties === undefined)
    return;
  map.set(handle, { end: handle, fixed: undefined, properties: undefined, ...attribute });
};

const services = (map: AttributeMap, request: Buffer, response: Buffer): void => {
  const type = uuidText(request.subarray(5));
  for (const entry of entriesOf(response)) {
    add(map, {
      handle: u16.read(entry, 0),
      type,
      end: u16.read(entry, 2),
      fixed: Buffer.from(entry.subarray(4)),
    });
  }
};

const servicesByUuid = (map: AttributeMap, request: Buffer, response: Buffer): void => {
  const fixed = Buffer.from(request.subarray(7));
  for (let at = 1; at + 4 <= response.length; at += 4) {
    add(map, {
      handle: u16.read(response, at),
      type: uuidText(request.subarray(5, 7)),
      end: u16.read(response, at + 2),
      fixed,
    });
  }
};

const byType = (map: AttributeMap, request: Buffer, response: Buffer): void => {
  const type = uuidText(request.subarray(5));
  for (const entry of entriesOf(response)) {
    const handle = u16.read(entry, 0);
    const value = Buffer.from(entry.subarray(2));
    if (type === Uuid.characteristic && value.length >= 5) {
      add(map, { handle, type, fixed: value });
      const properties = u8.read(value, 0);
      add(map, { handle: u16.read(value, 1), type: uuidText(value.subarray(3)), properties });
    } else if (type === Uuid.include) add(map, { handle, type, fixed: value });
    else add(map, { handle, type });
  }
};

const information = (map: AttributeMap, response: Buffer): void => {
  for (const entry of entriesOf(response)) {
    add(map, { handle: u16.read(entry, 0), type: uuidText(entry.subarray(2)) });
  }
};

const learners: Readonly<Record<number, (map: AttributeMap, request: Buffer, response: Buffer) => void>> = {
  [AttOpcode.readByGroupTypeResponse]: services,
  [AttOpcode.findByTypeValueResponse]: servicesByUuid,
  [AttOpcode.readByTypeResponse]: byType,
  [AttOpcode.findInformationResponse]: (map, _request, response) => information(map, response),
};

/** Adds the attributes that a response to a request shows. @throws ShortPacket if an attribute is cut short. */
export const learn = (map: AttributeMap, request: Buffer, response: Buffer): void =>
  learners[u8.read(response, 0)]?.(map, request, response);
