/** The attributes of a device, by handles (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import * as E from 'fp-ts/lib/Either.js';
import { AttOpcode, Uuid, shortest, uuidText, type AttFailure } from '../hci/att.js';
import { ALL_HANDLES, entriesOf, search, type Conversation, type HandleRange } from '../hci/discovery.js';
import type { GattProfile } from '../ports.js';
import type { Attributes, SendRequest } from './gatt.js';

export interface FoundDescriptor {
  readonly handle: number;
  /** 4 or 32 hex digits. */
  readonly uuid: string;
}

export interface FoundCharacteristic extends FoundDescriptor {
  /** Bits of `Property`. `handle` is the handle of the value. */
  readonly properties: number;
  readonly descriptors: readonly FoundDescriptor[];
}

export interface FoundService extends FoundDescriptor {
  readonly characteristics: readonly FoundCharacteristic[];
}

type Outcome<A> = E.Either<AttFailure, A>;

interface Found<A> {
  readonly items: readonly A[];
  /** The error that ended the search early, if any. */
  readonly failure: AttFailure | undefined;
}

function* find(opcode: number, range: HandleRange, type?: string): Conversation<Found<Buffer>> {
  const { exchanges, failure } = yield* search(opcode, range, type);
  return { items: exchanges.flatMap(({ response }) => entriesOf(response)), failure };
}

/** Left: the device refused, or sent an invalid response. */
const complete = <A>({ items, failure }: Found<A>): Outcome<readonly A[]> =>
  failure === undefined ? E.right(items) : E.left(failure);

const descriptorsOf = (entries: readonly Buffer[]): readonly FoundDescriptor[] =>
  entries.map((entry) => ({ handle: entry.readUInt16LE(0), uuid: uuidText(entry.subarray(2)) }));

interface Declaration extends Attributes {
  readonly uuid: Buffer;
}

function* declarationsIn({ from, to }: HandleRange): Conversation<Found<Declaration>> {
  const { items, failure } = yield* find(AttOpcode.readByTypeRequest, { from, to }, Uuid.characteristic);
  const declarations = items.map((entry, index) => ({
    uuid: entry.subarray(5),
    properties: entry.readUInt8(2),
    startHandle: entry.readUInt16LE(0),
    valueHandle: entry.readUInt16LE(3),
    endHandle: (items[index + 1]?.readUInt16LE(0) ?? to + 1) - 1,
  }));
  return { items: declarations, failure };
}

function* characteristicsIn(range: HandleRange): Conversation<Outcome<readonly FoundCharacteristic[]>> {
  const declared = complete(yield* declarationsIn(range));
  if (E.isLeft(declared)) return declared;
  const all: FoundCharacteristic[] = [];
  for (const { uuid, properties, valueHandle: handle, endHandle } of declared.right) {
    const afterValue = { from: handle + 1, to: endHandle };
    const entries = complete(yield* find(AttOpcode.findInformationRequest, afterValue));
    if (E.isLeft(entries)) return entries;
    all.push({ handle, uuid: uuidText(uuid), properties, descriptors: descriptorsOf(entries.right) });
  }
  return E.right(all);
}

const primaryServices = (): Conversation<Found<Buffer>> =>
  find(AttOpcode.readByGroupTypeRequest, ALL_HANDLES, Uuid.primaryService);

function* discover(): Conversation<Outcome<readonly FoundService[]>> {
  const services = complete(yield* primaryServices());
  if (E.isLeft(services)) return services;
  const all: FoundService[] = [];
  for (const service of services.right) {
    const [from, to] = [service.readUInt16LE(0), service.readUInt16LE(2)];
    const characteristics = yield* characteristicsIn({ from, to });
    if (E.isLeft(characteristics)) return characteristics;
    all.push({ handle: from, uuid: uuidText(service.subarray(4)), characteristics: characteristics.right });
  }
  return E.right(all);
}

/** A UUID in the form of `Uuid` in `ports.ts`. */
const portUuid = (uuid: Buffer): string => shortest(uuidText(uuid)).replace(/^0+(?=.{1,3}$)/, '');

/** An error that ends a search counts only if something is missing: devices differ in how they end a search. */
function* discoverProfile(
  profile: readonly GattProfile[],
): Conversation<Outcome<ReadonlyMap<string, Attributes>>> {
  const services = yield* primaryServices();
  const offered = services.items.map((service) => portUuid(service.subarray(4)));
  const absent = profile.find(({ service }) => !offered.includes(service));
  if (absent !== undefined)
    return E.left(services.failure ?? { reason: `the device has no service ${absent.service}` });
  const characteristics = new Map<string, Attributes>();
  let failure: AttFailure | undefined;
  for (const [index, service] of services.items.entries()) {
    if (!profile.some((part) => part.service === offered[index])) continue;
    const range = { from: service.readUInt16LE(0), to: service.readUInt16LE(2) };
    const declared = yield* declarationsIn(range);
    failure ??= declared.failure;
    for (const declaration of declared.items) characteristics.set(portUuid(declaration.uuid), declaration);
  }
  const lacking = profile.flatMap((part) => part.characteristics).find((uuid) => !characteristics.has(uuid));
  return lacking === undefined
    ? E.right(characteristics)
    : E.left(failure ?? { reason: `the device has no characteristic ${lacking}` });
}

const converse = async <A>(send: SendRequest, conversation: Conversation<A>): Promise<A> => {
  let step = conversation.next();
  while (step.done !== true) step = conversation.next(await send(step.value));
  return step.value;
};

/** Primary services with their characteristics and their descriptors. Left: the device refused, or sent an invalid response. */
export const discoverAll = (send: SendRequest): Promise<Outcome<readonly FoundService[]>> =>
  converse(send, discover());

/** The characteristics in the services of a profile. Left: the device refused, sent an invalid response, or lacks one of them. */
export const findProfile = (
  send: SendRequest,
  profile: readonly GattProfile[],
): Promise<Outcome<ReadonlyMap<string, Attributes>>> => converse(send, discoverProfile(profile));
