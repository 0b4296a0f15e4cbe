/** The requests that discover the attributes of a device, piece by piece (Core 5.4 Vol 3 Part G 4.4 to 4.7). */
import { AttError, AttOpcode, Uuid, describeAttError, u16, type AttFailure } from './att.js';

/** Yields requests and receives their responses, which may be errors. */
export type Conversation<A> = Generator<Buffer, A, Buffer>;

/** Handles, both included. */
export interface HandleRange {
  readonly from: number;
  readonly to: number;
}

export const ALL_HANDLES: HandleRange = { from: 0x0001, to: 0xffff };

interface Exchange {
  readonly request: Buffer;
  readonly response: Buffer;
}

export interface SearchResult {
  /** The exchanges whose response has entries. */
  readonly exchanges: readonly Exchange[];
  /** The error that ended the search early, if any. */
  readonly failure: AttFailure | undefined;
}

const SHORT_UUIDS = 0x01;

const entryLength = (response: Buffer): number => {
  const [opcode, length = 0] = response;
  if (opcode !== AttOpcode.findInformationResponse) return length;
  return length === SHORT_UUIDS ? 4 : 18;
};

/** The entries of a response to Read By Group Type, Read By Type or Find Information, without an incomplete last one. */
export const entriesOf = (response: Buffer): readonly Buffer[] => {
  const length = entryLength(response);
  const count = length === 0 ? 0 : Math.max(0, Math.floor((response.length - 2) / length));
  return Array.from({ length: count }, (_, index) =>
    response.subarray(2 + index * length, 2 + (index + 1) * length),
  );
};

/** The minimum length of an entry by the requested type; '' is Find Information. */
const SHORTEST: Readonly<Record<string, number>> = {
  [Uuid.primaryService]: 6,
  [Uuid.secondaryService]: 6,
  [Uuid.include]: 6,
  [Uuid.characteristic]: 7,
  '': 4,
};

/** The last handle in a response; undefined without a valid entry. */
const lastHandle = (response: Buffer, type: string): number | undefined => {
  const last = entriesOf(response).at(-1);
  if (last === undefined || last.length < (SHORTEST[type] ?? 0)) return undefined;
  return last.readUInt16LE(response[0] === AttOpcode.readByGroupTypeResponse ? 2 : 0);
};

/** Discovers all attributes of a range, or all of one `type` of `Uuid`. */
export function* search(opcode: number, { from, to }: HandleRange, type = ''): Conversation<SearchResult> {
  const exchanges: Exchange[] = [];
  const typeBytes = Buffer.from(type, 'hex').reverse();
  for (let start = from; start <= to;) {
    const request = Buffer.concat([Buffer.of(opcode), u16(start), u16(to), typeBytes]);
    const response = Buffer.from(yield request);
    if (response[0] === AttOpcode.errorResponse) {
      const error = response[4] ?? 0;
      const reason = `the device refused: ${describeAttError(error)}`;
      return { exchanges, failure: error === AttError.attributeNotFound ? undefined : { reason, error } };
    }
    const last = lastHandle(response, type);
    if (last === undefined) {
      return { exchanges, failure: { reason: `the response makes no sense: ${response.toString('hex')}` } };
    }
    exchanges.push({ request, response });
    start = Math.max(start, last) + 1;
  }
  return { exchanges, failure: undefined };
}
