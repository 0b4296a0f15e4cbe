/** The nearest whole number from `low` to `high`. */
export const within = (low: number, high: number, value: number): number =>
  Math.min(high, Math.max(low, Math.round(value)));

/** The nearest unsigned byte: the wire has no room for more. */
export const toUint8 = (value: number): number => within(0, 0xff, value);

/** The nearest signed 16-bit number, little-endian. */
export const int16Bytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16LE(within(-0x8000, 0x7fff, value));
  return bytes;
};

/** The nearest unsigned number of `size` bytes (1 to 6), little-endian. */
export const uintBytes = (value: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(within(0, 2 ** (8 * size) - 1, value), 0, size);
  return bytes;
};

/** `0D` of 13, the way bytes are written in docs/cgd1-protocol.md. */
export const hexByte = (value: number): string => value.toString(16).padStart(2, '0').toUpperCase();

/** `04 FF 01 00 02`; `(empty)` of no bytes. */
export const hexBytes = (bytes: Buffer): string =>
  bytes.length === 0 ? '(empty)' : [...bytes].map(hexByte).join(' ');

/** `1 byte`, `5 bytes`. */
export const countBytes = (count: number): string => (count === 1 ? '1 byte' : `${count} bytes`);
