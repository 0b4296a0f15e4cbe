/** The fields of a packet as text. */
import { hexBytes, hexNumber, type Layout } from '../../src/bytes/index.js';
import {
  addressTypeText,
  attErrorText,
  attNames,
  opcodeText,
  ownAddressTypeText,
  statusText,
  titleOf,
} from './names.js';
import type { Part } from './packet.js';

export type Values = readonly (readonly [key: string, value: unknown])[];

/** The texts of fields that are not plain numbers. */
const forms: Readonly<Record<string, (value: number) => string>> = {
  status: statusText,
  reason: statusText,
  error: attErrorText,
  request: (opcode) => attNames.get(opcode) ?? hexNumber(opcode),
  opcode: opcodeText,
  ownAddressType: ownAddressTypeText,
};

const isHandle = (key: string): boolean => /handle$/i.test(key);
const isAddressType = (key: string): boolean => /addressType$/i.test(key);

export const valueText = (key: string, value: unknown): string => {
  if (Buffer.isBuffer(value)) return hexBytes(value);
  if (typeof value !== 'number') return String(value);
  if (isHandle(key)) return hexNumber(value, 4);
  return forms[key]?.(value) ?? (isAddressType(key) ? addressTypeText(value) : String(value));
};

export const partsOf = (values: Values): readonly Part[] =>
  values.map(([key, value]) => ({ name: titleOf(key), value: valueText(key, value) }));

/** Reads the fields of a layout; `rest`: the key of the bytes after them. @throws ShortPacket if there are too few bytes. */
export const valuesOf = (layout: Layout<unknown> | undefined, body: Buffer, rest = 'rest'): Values => {
  const size = layout?.size ?? 0;
  const read = layout?.read(body);
  const fields: Values = typeof read === 'object' && read !== null ? Object.entries(read) : [];
  const tail = body.subarray(size);
  return tail.length === 0 || fields.some(([key]) => key === 'tail') ? fields : [...fields, [rest, tail]];
};

export const numberOf = (values: Values, key: string): number | undefined => {
  const [, value] = values.find(([name]) => name === key) ?? [];
  return typeof value === 'number' ? value : undefined;
};

/** A line of its words, without empty words. */
export const line = (...words: readonly string[]): string => words.filter((word) => word !== '').join(', ');
