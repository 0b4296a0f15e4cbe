/** Values of dice of all makers as the control API shows them. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { hexByte } from '../../../src/bytes/index.js';
import type { Rgb } from '../../../src/protocols/dice-values.js';

export const hexColour = ({ r, g, b }: Rgb): string => [r, g, b].map(hexByte).join('');

/** Counts by opcode in hex. */
export const commandsJson = (commands: ReadonlyMap<number, number>): JsonRecord =>
  Object.fromEntries([...commands].map(([opcode, count]) => [hexByte(opcode), count]));
