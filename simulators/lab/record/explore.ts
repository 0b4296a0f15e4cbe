/**
 * Explores a device by ATT: its attributes, their values, and its notifications (Core 5.4 Vol 3 Part G 4). A conversation
 * yields requests and receives their responses, including errors of ATT.
 */
import { unlessShort } from '../../../src/bytes/index.js';
import { AttOpcode, Property, Uuid, u16 } from '../../../src/ble/hci/att.js';
import { ALL_HANDLES, search, type Conversation, type HandleRange } from '../../../src/ble/hci/discovery.js';
import { isDeclaration, learn, type Attribute, type AttributeMap } from '../../ble/attributes.js';

/** The answer to a read: a value, or the error code of ATT. */
export type ReadResult = { readonly value: Buffer } | { readonly error: number };

export interface Explored {
  /** Sorted by handle. */
  readonly attributes: readonly Attribute[];
  /** Read results of readable attributes, by handle. */
  readonly answers: ReadonlyMap<number, ReadResult>;
  /** The handles of values that the device notifies or indicates from now on. */
  readonly subscribed: readonly number[];
}

const errorOf = (response: Buffer): number | undefined =>
  response[0] === AttOpcode.errorResponse ? (response[4] ?? 0) : undefined;

const isReadable = (attribute: Attribute): boolean =>
  attribute.properties === undefined
    ? !isDeclaration(attribute)
    : (attribute.properties & Property.read) !== 0;

/** Adds the attributes of a range, without the parts that the device refuses. */
function* find(
  attributes: AttributeMap,
  opcode: number,
  range: HandleRange,
  type?: string,
): Conversation<void> {
  const { exchanges } = yield* search(opcode, range, type);
  for (const { request, response } of exchanges) unlessShort(() => learn(attributes, request, response));
}

/** The handles after each value, up to the next declaration or to the end of its service. */
const descriptorRanges = (
  attributes: readonly Attribute[],
  services: readonly Attribute[],
): readonly HandleRange[] => {
  const declared = attributes.filter(isDeclaration).map(({ handle }) => handle);
  return attributes
    .filter(({ properties }) => properties !== undefined)
    .map(({ handle }) => {
      const service = services.find((service) => service.handle < handle && handle <= service.end);
      const next = Math.min(...declared.filter((declaration) => declaration > handle), ALL_HANDLES.to + 1);
      return { from: handle + 1, to: Math.min(service?.end ?? handle, next - 1) };
    })
    .filter(({ from, to }) => from <= to);
};

function* discover(): Conversation<readonly Attribute[]> {
  const found: AttributeMap = new Map();
  for (const type of [Uuid.primaryService, Uuid.secondaryService]) {
    yield* find(found, AttOpcode.readByGroupTypeRequest, ALL_HANDLES, type);
  }
  const services = [...found.values()];
  for (const { handle: from, end: to } of services) {
    yield* find(found, AttOpcode.readByTypeRequest, { from, to }, Uuid.include);
    yield* find(found, AttOpcode.readByTypeRequest, { from, to }, Uuid.characteristic);
  }
  for (const range of descriptorRanges([...found.values()], services)) {
    yield* find(found, AttOpcode.findInformationRequest, range);
  }
  return [...found.values()].sort((a, b) => a.handle - b.handle);
}

/** Reads a value of any length. */
function* read(handle: number, mtu: () => number): Conversation<ReadResult> {
  const parts: Buffer[] = [];
  for (let offset = 0; ;) {
    const [opcode, from] =
      offset === 0 ? [AttOpcode.readRequest, Buffer.alloc(0)] : [AttOpcode.readBlobRequest, u16(offset)];
    const response = yield Buffer.concat([Buffer.from([opcode]), u16(handle), from]);
    const error = errorOf(response);
    if (error !== undefined) return offset === 0 ? { error } : { value: Buffer.concat(parts) };
    parts.push(response.subarray(1));
    offset += response.length - 1;
    if (response.length < mtu()) return { value: Buffer.concat(parts) };
  }
}

const subscriptionTo = ({ properties = 0 }: Attribute): number => {
  if ((properties & Property.notify) !== 0) return 1;
  return (properties & Property.indicate) !== 0 ? 2 : 0;
};

/** Subscribes to all values, except for refused ones. */
function* subscribe(attributes: readonly Attribute[]): Conversation<readonly number[]> {
  const subscribed: number[] = [];
  let value: Attribute | undefined;
  for (const attribute of attributes) {
    if (isDeclaration(attribute)) value = undefined;
    else if (attribute.properties !== undefined) value = attribute;
    if (value === undefined || attribute.type !== Uuid.configuration || subscriptionTo(value) === 0) continue;
    const parameters = [u16(attribute.handle), u16(subscriptionTo(value))];
    const response = yield Buffer.concat([Buffer.from([AttOpcode.writeRequest]), ...parameters]);
    if (errorOf(response) === undefined) subscribed.push(value.handle);
  }
  return subscribed;
}

/** `mtu`: the current ATT_MTU of the link. */
export function* explore(mtu: () => number): Conversation<Explored> {
  const attributes = yield* discover();
  const answers = new Map<number, ReadResult>();
  for (const { handle } of attributes.filter(isReadable)) answers.set(handle, yield* read(handle, mtu));
  return { attributes, answers, subscribed: yield* subscribe(attributes) };
}
