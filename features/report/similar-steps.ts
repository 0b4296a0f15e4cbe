/** The steps that are most similar to an undefined one. */

/** The cost of the cheapest way to make `to` of `from` by adding and removing (1 each) and replacing elements. */
const distance = <A>(from: readonly A[], to: readonly A[], replacing: (a: A, b: A) => number): number => {
  let row = to.map((_, index) => index + 1);
  for (const [above, a] of from.entries()) {
    let [diagonal, left] = [above, above + 1];
    row = row.map((up, index) => {
      const b = to[index];
      const cost = Math.min(up + 1, left + 1, diagonal + (b === undefined ? 1 : replacing(a, b)));
      [diagonal, left] = [up, cost];
      return cost;
    });
  }
  return row.at(-1) ?? from.length;
};

/** From 0 for the same word to 1. */
const wordDistance = (a: string, b: string): number =>
  a === b || a === VALUE || b === VALUE
    ? Number(a !== b)
    : distance(Array.from(a), Array.from(b), (one, other) => Number(one !== other)) /
      Math.max(a.length, b.length);

const VALUE = '{}';

/** Words, with a mark for each value. */
const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(/"[^"]*"|\{[^}]*\}|-?\b\d[\d.]*\b/g, VALUE)
    .split(/[\s,()|[\]]+/)
    .filter((word) => word !== '');

const OPTIONAL = /\[.*?\]/g;

const MOST = 3;
/** The largest distance for each word of a similar step. */
const SIMILAR = 0.5;

/** At most three of the patterns, the most similar first. */
export const similarSteps = (text: string, patterns: readonly string[]): readonly string[] => {
  const words = wordsOf(text);
  const apartFrom = (other: readonly string[]): number =>
    distance(words, other, wordDistance) / Math.max(words.length, other.length, 1);
  return patterns
    .map((pattern) => {
      const forms = [pattern, pattern.replace(OPTIONAL, '')];
      return { pattern, apart: Math.min(...forms.map((form) => apartFrom(wordsOf(form)))) };
    })
    .filter(({ apart }) => apart <= SIMILAR)
    .sort((a, b) => a.apart - b.apart)
    .slice(0, MOST)
    .map(({ pattern }) => pattern);
};

/** The text about a step that no pattern fits. */
export const undefinedStep = (text: string, patterns: readonly string[]): string => {
  const similar = similarSteps(text, patterns);
  return [
    `there is no step "${text}"`,
    ...(similar.length === 0
      ? ['no step is similar; airbench features --steps lists all']
      : ['similar steps:', ...similar.map((pattern) => `  ${pattern}`)]),
  ].join('\n');
};
