/** Fields of a fixed size, little-endian: each reads and writes one value; and bytes as texts for people. */

/** `0D` of 13. */
export const hexByte = (value: number): string => value.toString(16).padStart(2, '0').toUpperCase();

/** `0x0D` of 13; with 4 digits `0x000D`. */
export const hexNumber = (value: number, digits = 2): string =>
  `0x${value.toString(16).toUpperCase().padStart(digits, '0')}`;

/** `04FF0100`. */
export const hexText = (bytes: Buffer): string => bytes.toString('hex').toUpperCase();

/** `04 FF 01 00 02`; `(empty)` of no bytes. */
export const hexBytes = (bytes: Buffer): string =>
  bytes.length === 0 ? '(empty)' : [...bytes].map(hexByte).join(' ');

/** The most bytes that are shown on one line. */
const LINE_BYTES = 24;

/** Bytes on one line, the first of them if there are many. */
export const shortBytes = (bytes: Buffer): string =>
  bytes.length > LINE_BYTES ? `${hexBytes(bytes.subarray(0, LINE_BYTES))} …` : hexBytes(bytes);

/** `1 byte`, `5 bytes`. */
export const countBytes = (count: number): string => (count === 1 ? '1 byte' : `${count} bytes`);

/** The nearest whole number from `low` to `high`. */
export const within = (low: number, high: number, value: number): number =>
  Math.min(high, Math.max(low, Math.round(value)));

/** The nearest unsigned byte. */
export const toUint8 = (value: number): number => within(0, 0xff, value);

export interface Field<A> {
  /** Bytes. */
  readonly size: number;
  /** @throws ShortPacket */
  read(this: void, from: Buffer, offset: number): A;
  write(this: void, to: Buffer, offset: number, value: A): void;
  /** A message about bytes that are not a value of this field; undefined if they are. Without `problem`, all bytes are values. */
  problem?(this: void, from: Buffer, offset: number): string | undefined;
}

/** The error of a packet that is shorter than its fields. */
export class ShortPacket extends Error {
  constructor(from: Buffer, needed: number) {
    super(`at least ${countBytes(needed)} expected, got ${from.length}`);
  }
}

/** Returns `from` if it has all bytes of a field. @throws ShortPacket */
const enough = (from: Buffer, offset: number, size: number): Buffer => {
  if (from.length < offset + size) throw new ShortPacket(from, offset + size);
  return from;
};

const unsigned = (size: number): Field<number> => ({
  size,
  read: (from, offset) => enough(from, offset, size).readUIntLE(offset, size),
  write: (to, offset, value) => void to.writeUIntLE(value, offset, size),
});

const signed = (size: number): Field<number> => ({
  size,
  read: (from, offset) => enough(from, offset, size).readIntLE(offset, size),
  write: (to, offset, value) => void to.writeIntLE(value, offset, size),
});

export const u8 = unsigned(1);
export const u16 = unsigned(2);
export const u24 = unsigned(3);
export const u32 = unsigned(4);
export const i8 = signed(1);
export const i16 = signed(2);

/** A device address, written least significant byte first; as text upper case and colon-separated. */
export const address: Field<string> = {
  size: 6,
  read: (from, offset) =>
    [...enough(from, offset, 6).subarray(offset, offset + 6)].reverse().map(hexByte).join(':'),
  write: (to, offset, value) => void Buffer.from(value.replaceAll(':', ''), 'hex').reverse().copy(to, offset),
};

/** Exactly `size` bytes; a shorter value is filled with zeros, a longer one cut. */
export const bytes = (size: number): Field<Buffer> => ({
  size,
  read: (from, offset) => Buffer.from(enough(from, offset, size).subarray(offset, offset + size)),
  write: (to, offset, value) => void value.copy(to, offset, 0, size),
});

/** `size` bytes as lower-case hex digits, in the order of the wire; missing bytes are 0. */
export const hex = (size: number): Field<string> => ({
  size,
  read: (from, offset) => enough(from, offset, size).toString('hex', offset, offset + size),
  write: (to, offset, value) => {
    to.fill(0, offset, offset + size);
    to.write(value, offset, size, 'hex');
  },
});

const nearest = (field: Field<number>, low: number, high: number): Field<number> => ({
  ...field,
  write: (to, offset, value) => field.write(to, offset, within(low, high, value)),
});

/** An unsigned field that writes the nearest number for which it has room. */
export const nearestUnsigned = (field: Field<number>): Field<number> =>
  nearest(field, 0, 2 ** (8 * field.size) - 1);

/** A signed field that writes the nearest number for which it has room. */
export const nearestSigned = (field: Field<number>): Field<number> =>
  nearest(field, -(2 ** (8 * field.size - 1)), 2 ** (8 * field.size - 1) - 1);

/** A value that the wire counts in units of `unit`. */
export const multiples = (field: Field<number>, unit: number): Field<number> => ({
  size: field.size,
  read: (from, offset) => field.read(from, offset) * unit,
  write: (to, offset, value) => field.write(to, offset, value / unit),
});

/** A value that the wire counts in parts: `parts` for each 1. */
export const fractions = (field: Field<number>, parts: number): Field<number> => ({
  size: field.size,
  read: (from, offset) => field.read(from, offset) / parts,
  write: (to, offset, value) => field.write(to, offset, value * parts),
});

/** One of `values`, by its index in a byte. `name`: the subject of messages, such as "the pulse mode". */
export const choice = <A>(name: string, values: readonly A[]): Field<A> => ({
  size: 1,
  read: (from, offset) => values[u8.read(from, offset)] as A,
  write: (to, offset, value) => void to.writeUInt8(values.indexOf(value), offset),
  problem: (from, offset) => {
    const index = u8.read(from, offset);
    const most = values.length - 1;
    return index > most
      ? `${name} must be ${most === 1 ? '0 or 1' : `0 to ${most}`}, got ${index}`
      : undefined;
  },
});

/** On or off, 1 or 0. */
export const flag = (name: string): Field<boolean> => choice(name, [false, true]);

/** A byte that must not be more than `most`; a larger number is written as `most`. */
export const upTo = (name: string, most: number): Field<number> => ({
  ...nearest(u8, 0, most),
  problem: (from, offset) => {
    const value = u8.read(from, offset);
    return value > most ? `${name} must be 0 to ${most}, got ${value}` : undefined;
  },
});

/** The first problem of several fields, each `at` bytes behind `offset`. */
export const firstProblem = (
  from: Buffer,
  offset: number,
  placed: readonly { readonly at: number; readonly field: Field<unknown> }[],
): string | undefined => {
  for (const { at, field } of placed) {
    const problem = field.problem?.(from, offset + at);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** `count` values of one kind. */
export const list = <A>(count: number, field: Field<A>): Field<readonly A[]> => {
  const places = Array.from({ length: count }, (_, index) => index * field.size);
  return {
    size: count * field.size,
    read: (from, offset) => places.map((at) => field.read(from, offset + at)),
    write: (to, offset, values) =>
      places.forEach((at, index) => {
        const value = values[index];
        if (value !== undefined) field.write(to, offset + at, value);
      }),
    problem: (from, offset) =>
      firstProblem(
        from,
        offset,
        places.map((at) => ({ at, field })),
      ),
  };
};
