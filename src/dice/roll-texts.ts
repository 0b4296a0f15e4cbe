/** Rolls as NDJSON and CSV. */
import { TextStream } from '../contract/index.js';
import { Roll } from './contract-records.js';
import type { Pieces } from './rolls.js';

const COLUMNS = ['id', 'time', 'address', 'dice_type', 'face', 'ended', 'session_id'] as const;

const ndjson = async function* (pieces: Pieces): AsyncGenerator<string> {
  for await (const rolls of pieces)
    yield rolls.map((roll) => `${JSON.stringify(Roll.encode(roll))}\n`).join('');
};

/** A cell of RFC 4180. Spreadsheets take a text that begins with one of `=+-@` for a formula. */
const cellOf = (value: string | number): string => {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const csv = async function* (pieces: Pieces): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const rolls of pieces)
    yield rolls.map((roll) => `${COLUMNS.map((column) => cellOf(roll[column])).join(',')}\r\n`).join('');
};

/** `mediaType`: one of the media types of the row `rolls`. */
export const rollStream = (mediaType: string, pieces: Pieces): TextStream =>
  new TextStream(mediaType, (mediaType === 'text/csv' ? csv : ndjson)(pieces));
