/** The lines under a mark of the map: the end of the address, and the name. */

/** Breaks a text after a space, a line or a dash, so that the longer part is as short as possible. */
const inTwo = (text: string): readonly string[] => {
  const breaks = [...text.matchAll(/[ _-]/g)].map(({ index }) => index + 1);
  const longest = (at: number): number => Math.max(text.slice(0, at).trimEnd().length, text.length - at);
  const best = breaks.reduce((a, b) => (longest(b) < longest(a) ? b : a), breaks[0] ?? text.length);
  return [text.slice(0, best).trimEnd(), text.slice(best)];
};

interface Label {
  /** The end of the address. */
  readonly short: string;
  readonly name: string;
  /** The letters of a line that fit between the neighbours. */
  readonly letters: number;
  /** Whether the name is shown even if it does not fit. */
  readonly isChosen: boolean;
}

/** A name is shown to its end, where names differ, or not at all. */
export const linesOf = ({ short, name, letters, isChosen }: Label): readonly string[] => {
  if (name.length <= letters) return [short, name];
  const lines = inTwo(`${short} ${name}`);
  return isChosen || lines.every(({ length }) => length <= letters) ? lines : [short];
};
