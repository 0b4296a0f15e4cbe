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

/** `1 byte`, `5 bytes`. */
export const countBytes = (count: number): string => (count === 1 ? '1 byte' : `${count} bytes`);
