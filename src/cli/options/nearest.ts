/** The word that somebody meant who wrote another. */

/** How many letters have to be added, left out or changed to make `b` of `a`. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The one of `words` that is most like `written`, unless none is like it. */
export const nearest = (written: string, words: readonly string[]): string | undefined => {
  const [best] = words
    .map((word) => ({ word, off: distance(written.toLowerCase(), word) }))
    .sort((a, b) => a.off - b.off);
  return best !== undefined && best.off <= Math.max(2, written.length / 3) ? best.word : undefined;
};
