/** All that a device offers, by handles (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import * as E from 'fp-ts/lib/Either.js';
import { AttOpcode, Uuid, uuidText, type AttFailure } from '../hci/att.js';
import { ALL_HANDLES, entriesOf, search, type Conversation, type HandleRange } from '../hci/discovery.js';
import type { SendRequest } from './gatt.js';

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

type Outcome<A> = E.Either<AttFailure, A>;

/** Left: the device refused, or sent nonsense. */
function* find(opcode: number, range: HandleRange, type?: string): Conversation<Outcome<readonly Buffer[]>> {
  const { exchanges, failure } = yield* search(opcode, range, type);
  return failure === undefined
    ? E.right(exchanges.flatMap(({ response }) => entriesOf(response)))
    : E.left(failure);
}

const descriptorsOf = (entries: readonly Buffer[]): readonly FoundDescriptor[] =>
  entries.map((entry) => ({ handle: entry.readUInt16LE(0), uuid: uuidText(entry.subarray(2)) }));

function* characteristicsIn(range: HandleRange): Conversation<Outcome<readonly FoundCharacteristic[]>> {
  const declared = yield* find(AttOpcode.readByTypeRequest, range, Uuid.characteristic);
  if (E.isLeft(declared)) return declared;
  const found: FoundCharacteristic[] = [];
  for (const [index, entry] of declared.right.entries()) {
    const handle = entry.readUInt16LE(3);
    const next = declared.right[index + 1]?.readUInt16LE(0) ?? range.to + 1;
    const entries = yield* find(AttOpcode.findInformationRequest, { from: handle + 1, to: next - 1 });
    if (E.isLeft(entries)) return entries;
    const [uuid, properties] = [uuidText(entry.subarray(5)), entry.readUInt8(2)];
    found.push({ handle, uuid, properties, descriptors: descriptorsOf(entries.right) });
  }
  return E.right(found);
}

function* discover(): Conversation<Outcome<readonly FoundService[]>> {
  const services = yield* find(AttOpcode.readByGroupTypeRequest, ALL_HANDLES, Uuid.primaryService);
  if (E.isLeft(services)) return services;
  const found: FoundService[] = [];
  for (const service of services.right) {
    const [from, to] = [service.readUInt16LE(0), service.readUInt16LE(2)];
    const characteristics = yield* characteristicsIn({ from, to });
    if (E.isLeft(characteristics)) return characteristics;
    found.push({ handle: from, uuid: uuidText(service.subarray(4)), characteristics: characteristics.right });
  }
  return E.right(found);
}

/** Primary services with their characteristics and their descriptors. Left: the device refused, or sent nonsense. */
export const discoverAll = async (send: SendRequest): Promise<Outcome<readonly FoundService[]>> => {
  const conversation = discover();
  let step = conversation.next();
  while (step.done !== true) step = conversation.next(await send(step.value));
  return step.value;
};
