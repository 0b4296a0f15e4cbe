/** Bytes as people read them. */

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
