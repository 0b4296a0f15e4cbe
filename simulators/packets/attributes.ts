/** Attributes by their types, where discovery has shown them. */
import { hexNumber } from '../../src/bytes/index.js';
import { Uuid } from '../../src/ble/hci/att.js';
import type { Found } from '../ble/attributes.js';
import { titleOf } from './names.js';

const declarations = new Map<string, string>(Object.entries(Uuid).map(([key, uuid]) => [uuid, titleOf(key)]));

/** `0x2A19` or `6E400003-B5A3-F393-E0A9-E50E24DCCA9E` of hex digits; declarations by their name. */
export const uuidName = (digits: string): string => {
  const name = declarations.get(digits);
  if (name !== undefined) return name;
  const upper = digits.toUpperCase();
  return digits.length === 4
    ? `0x${upper}`
    : upper.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** `0x0012`, and the type of its attribute. */
export const attributeText = (handle: number, attributes: Found | undefined): string => {
  const known = attributes?.get(handle);
  return known === undefined ? hexNumber(handle, 4) : `${hexNumber(handle, 4)} (${uuidName(known.type)})`;
};

/** The same on a line: a long UUID by its beginning. */
export const attributeLine = (handle: number, attributes: Found | undefined): string =>
  attributeText(handle, attributes).replace(/\((.{8})-.*\)$/, '($1…)');
