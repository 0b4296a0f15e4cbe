const within = (low: number, high: number, value: number): number =>
  Math.min(high, Math.max(low, Math.round(value)));

/** The nearest unsigned byte: the wire has no room for more, and the vendor JavaScript API clamps colours too. */
export const toUint8 = (value: number): number => within(0, 0xff, value);

/** The nearest signed byte, as two's complement. */
export const toInt8 = (value: number): number => within(-128, 127, value) & 0xff;

/** `03` of 3, the way opcodes are written in docs/godice-protocol.md. */
export const hexByte = (value: number): string => value.toString(16).padStart(2, '0').toUpperCase();

/** `53 00 40 FE`; `(empty)` of no bytes. */
export const hexBytes = (bytes: Buffer): string =>
  bytes.length === 0 ? '(empty)' : [...bytes].map(hexByte).join(' ');

/** `1 byte`, `5 bytes`. */
export const countBytes = (count: number): string => (count === 1 ? '1 byte' : `${count} bytes`);
