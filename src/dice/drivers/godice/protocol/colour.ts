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
export const colourLetter = (colour: DieColour): string => letters[colour];

/** The colour of a letter (upper case), undefined for any other text. */
export const colourOfLetter = (letter: string): DieColour | undefined =>
  DIE_COLOURS.find((colour) => letters[colour] === letter);
