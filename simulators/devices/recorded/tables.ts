/** The attributes of a device, as discovered on its links (Core 5.4 Vol 3 Part G 4.4 to 4.7); links may share a table. */
import { AttError, AttOpcode, Property, Uuid, uuidText } from '../../../src/ble/hci/att.js';
import { entriesOf } from '../../../src/ble/hci/discovery.js';
import { hexNumber, hexText, unlessShort, u16 } from '../../../src/bytes/index.js';
import { isService, learn, type Attribute, type AttributeMap, type Table } from '../../ble/attributes.js';
import type { Exchange } from './exchanges.js';
import { firstIndex } from './sorted.js';

interface Discovery {
  readonly attributes: Table;
  /** Whether the host searched for primary services to the end, and so found all. */
  readonly complete: boolean;
}

const LAST_HANDLE = 0xffff;

const FIRST_HANDLE = 0x0001;

const asksForServices = (request: Buffer): boolean =>
  request[0] === AttOpcode.readByGroupTypeRequest && uuidText(request.subarray(5)) === Uuid.primaryService;

/** Whether the search ends: without a further service, or with a service that has the last handle. */
const endsServices = (request: Buffer, response: Buffer): boolean =>
  u16.read(request, 3) === LAST_HANDLE &&
  (response[0] === AttOpcode.errorResponse
    ? response[4] === AttError.attributeNotFound
    : entriesOf(response).some((entry) => u16.read(entry, 2) === LAST_HANDLE));

const inOrder = (attributes: Iterable<Attribute>): Table =>
  new Map([...attributes].sort((a, b) => a.handle - b.handle).map((item) => [item.handle, item]));

/** The discovery among a link's exchanges; empty if the host knew the device already. */
export const discoveryOf = (exchanges: readonly Exchange[]): Discovery => {
  const attributes: AttributeMap = new Map();
  const search = { begun: false, ended: false };
  for (const { request, response } of exchanges) {
    if (response === undefined) continue;
    unlessShort(() => {
      learn(attributes, request, response);
      if (!asksForServices(request)) return;
      search.begun ||= u16.read(request, 1) === FIRST_HANDLE;
      search.ended ||= search.begun && endsServices(request, response);
    });
  }
  return { attributes: inOrder(attributes.values()), complete: search.ended };
};

/** The attributes at which a search for a configuration ends, of each table that was searched. */
const searched = new WeakMap<Table, readonly Attribute[]>();

const endsIn = (attributes: Table): readonly Attribute[] => {
  const ends = [...attributes.values()].filter(
    (attribute) =>
      attribute.type === Uuid.characteristic || attribute.type === Uuid.configuration || isService(attribute),
  );
  searched.set(attributes, ends);
  return ends;
};

/** The configuration descriptor of a characteristic's value, if it was discovered; the table must not change any more. */
export const configurationOf = (attributes: Table, value: number): number | undefined => {
  const ends = searched.get(attributes) ?? endsIn(attributes);
  const end = ends[firstIndex(ends, ({ handle }) => handle > value)];
  return end?.type === Uuid.configuration ? end.handle : undefined;
};

/** Whether a characteristic may be read or written at all, as declared; a descriptor may. */
export const permits = ({ properties }: Attribute, operation: 'read' | 'write'): boolean => {
  if (properties === undefined) return true;
  const bits = operation === 'read' ? Property.read : Property.write | Property.writeWithoutResponse;
  return (properties & bits) !== 0;
};

/** Whether two descriptions of an attribute cannot be true of one table. */
const disagree = (one: Attribute, other: Attribute): boolean =>
  one.type !== other.type ||
  (isService(one) && one.end !== other.end) ||
  (one.fixed !== undefined && other.fixed !== undefined && !one.fixed.equals(other.fixed)) ||
  (one.properties !== undefined && other.properties !== undefined && one.properties !== other.properties);

const primary = ({ attributes }: Discovery): readonly Attribute[] =>
  [...attributes.values()].filter(({ type }) => type === Uuid.primaryService);

/** Services in `other` that the search of `one` would have shown too. */
const missed = (one: Discovery, other: Discovery): readonly Attribute[] =>
  one.complete ? primary(other).filter(({ handle }) => !one.attributes.has(handle)) : [];

const described = (attribute: Attribute): string => {
  const { fixed, end, properties } = attribute;
  const uuid = attribute.type.toUpperCase();
  if (isService(attribute))
    return `service ${fixed === undefined ? '' : hexText(Buffer.from(fixed).reverse())} up to ${hexNumber(end, 4)}`;
  if (fixed !== undefined) return `${uuid} ${hexText(fixed)}`;
  return properties === undefined ? uuid : `${uuid} with properties 0x${properties.toString(16)}`;
};

/** Where two discoveries differ, by handle; empty if both can be true of one table. */
export const differences = (before: Discovery, after: Discovery): readonly string[] => [
  ...[...after.attributes.values()].flatMap((now) => {
    const was = before.attributes.get(now.handle);
    return was === undefined || !disagree(was, now)
      ? []
      : [`${hexNumber(now.handle, 4)} is ${described(now)}, was ${described(was)}`];
  }),
  ...missed(before, after).map((now) => `${hexNumber(now.handle, 4)} is ${described(now)}, was nothing`),
  ...missed(after, before).map((was) => `${hexNumber(was.handle, 4)} is nothing, was ${described(was)}`),
];

/** A table that grows with each discovery that can be true of it. */
interface Growing {
  /** In the order of discovery. */
  readonly attributes: AttributeMap;
  /** The handles of its primary services. */
  readonly primaries: Set<number>;
  complete: boolean;
}

const learnFrom = (table: Growing, { attributes, complete }: Discovery): Growing => {
  for (const [handle, attribute] of attributes) {
    // A declaration's value and properties come from one request, the bare type from another.
    const knowsMore =
      !table.attributes.has(handle) || attribute.fixed !== undefined || attribute.properties !== undefined;
    if (knowsMore) table.attributes.set(handle, attribute);
    if (attribute.type === Uuid.primaryService) table.primaries.add(handle);
  }
  table.complete ||= complete;
  return table;
};

const growing = (...discoveries: readonly Discovery[]): Growing =>
  discoveries.reduce(learnFrom, { attributes: new Map(), primaries: new Set(), complete: false });

/** Whether a discovery can be true of a table: there are no `differences`. */
const agrees = ({ attributes, primaries, complete }: Growing, other: Discovery): boolean => {
  for (const now of other.attributes.values()) {
    const was = attributes.get(now.handle);
    if (was === undefined ? complete && now.type === Uuid.primaryService : disagree(was, now)) return false;
  }
  if (other.complete) for (const handle of primaries) if (!other.attributes.has(handle)) return false;
  return true;
};

/** Whether attributes are enough for a replay: a service and a characteristic. */
const isPlayable = ({ attributes }: Pick<Discovery, 'attributes'>): boolean => {
  const all = [...attributes.values()];
  return all.some(isService) && all.some(({ type }) => type === Uuid.characteristic);
};

/** The table after a discovery that contradicts it: the earlier table, with the discovered services replaced. */
const replaced = (before: Growing, after: Discovery): Growing => {
  const services = [...after.attributes.values()].filter(isService);
  let next = 0;
  /** The last handle of the services that begin before an attribute. */
  let last = 0;
  const kept = [...inOrder(before.attributes.values())].filter(([at]) => {
    for (; (services[next]?.handle ?? Infinity) <= at; next += 1)
      last = Math.max(last, services[next]?.end ?? 0);
    return at > last;
  });
  return growing({ attributes: new Map(kept), complete: false }, after);
};

/** How many tables a discovery is compared with, the latest ones. */
const COMPARED = 100;

export interface LinkTables {
  /** The table of each link: the same value for all links that share it. */
  readonly tables: readonly Table[];
  /** Differences between the table of a link (by index) and the table of the link before. */
  readonly changes: readonly { readonly link: number; readonly differences: readonly string[] }[];
}

/**
 * Merges the discoveries of the links as long as they can be true of one table. A link on which nothing was discovered
 * has the table of the link before it. Undefined: services and their characteristics were not discovered on any link.
 */
export const tablesOf = (discoveries: readonly Discovery[]): LinkTables | undefined => {
  let latest = growing();
  const tables = [latest];
  const grown = discoveries.map((discovery) => {
    const compared = [...tables.slice(-COMPARED), latest];
    const same = compared.findLast((table) => agrees(table, discovery));
    latest = same ?? (isPlayable(discovery) ? growing(discovery) : replaced(latest, discovery));
    if (same === undefined) tables.push(latest);
    else learnFrom(same, discovery);
    return latest;
  });
  const playable = new Map(
    tables
      .filter(isPlayable)
      .map((table) => [table, { ...table, attributes: inOrder(table.attributes.values()) }] as const),
  );
  const [spare] = playable.values();
  if (spare === undefined) return undefined;
  const played = grown.map((table) => playable.get(table) ?? spare);
  return {
    tables: played.map(({ attributes }) => attributes),
    changes: played.flatMap((table, link) => {
      const before = played[link - 1] ?? table;
      return before === table ? [] : [{ link, differences: differences(before, table) }];
    }),
  };
};
