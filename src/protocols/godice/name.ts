import * as E from 'fp-ts/lib/Either.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';

/** The body colours in the order of their codes, 0 to 5 (docs/godice-protocol.md §4.1). */
export const DIE_COLOURS = ['black', 'red', 'green', 'blue', 'yellow', 'orange'] as const;

export type DieColour = (typeof DIE_COLOURS)[number];

const letters: Readonly<Record<DieColour, string>> = {
  black: 'K',
  red: 'R',
  green: 'G',
  blue: 'B',
  yellow: 'Y',
  orange: 'O',
};

/** The letter of a colour in a die's name; black is K because B is blue. */
const colourLetter = (colour: DieColour): string => letters[colour];

/** The colour of an upper-case letter; undefined for other texts. */
const colourOfLetter = (letter: string): DieColour | undefined =>
  DIE_COLOURS.find((colour) => letters[colour] === letter);

/** The parts of a die's local name (docs/godice-protocol.md §1). */
export interface DieName {
  /** Upper-case hex on production dice, 5 or 6 digits; any text on others. */
  readonly id: string;
  readonly colour: DieColour | null;
  /** Hardware generation, 0 to 99: the `04` of `v04`. */
  readonly generation: number | null;
}

const prefix = 'GoDice_';
const pattern = /^GoDice_(?<id>.+?)(?:_(?<letter>[KRGBYO]))?(?:_v(?<generation>\d{2}))?$/u;

/** Whether a local name is the name of a die. */
export const isDiceName = (name: string): boolean => name.startsWith(prefix);

/**
 * Reads `GoDice_<ID>_<L>_v<NN>`. Letter and generation may be missing; all other text after the prefix is the id.
 * Left: the name is not a die's, or ends after the prefix.
 */
export const parseName = (name: string): E.Either<ParseError, DieName> => {
  const groups = pattern.exec(name)?.groups;
  const id = groups?.['id'];
  if (id === undefined) return parseFailure(`a die's name must look like GoDice_7D8E7D_O_v04, got "${name}"`);
  const letter = groups?.['letter'];
  const generation = groups?.['generation'];
  return E.right({
    id,
    colour: letter === undefined ? null : (colourOfLetter(letter) ?? null),
    generation: generation === undefined ? null : Number(generation),
  });
};

/** Writes `GoDice_7D8E7D_O_v04`, without the parts that are null. */
export const formatName = ({ id, colour, generation }: DieName): string =>
  [
    `${prefix}${id}`,
    ...(colour === null ? [] : [colourLetter(colour)]),
    ...(generation === null ? [] : [`v${String(generation).padStart(2, '0')}`]),
  ].join('_');

/** UUIDs of the Nordic UART service, lower case without dashes (docs/godice-protocol.md §2). */
export const NUS_SERVICE = '6e400001b5a3f393e0a9e50e24dcca9e';

/** Host to die; write and write without response. */
export const NUS_WRITE = '6e400002b5a3f393e0a9e50e24dcca9e';

/** Die to host; notify. */
export const NUS_NOTIFY = '6e400003b5a3f393e0a9e50e24dcca9e';
