/** Sorted lists, searched by halves. */

/** The index of the first item for which `beyond` is true, as it is for all later items; without such an item, the length of the list. */
export const firstIndex = <A>(items: readonly A[], isBeyond: (item: A) => boolean): number => {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const item = items[middle];
    if (item !== undefined && isBeyond(item)) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** Adds an item to the list of a key. */
export const append = <K, A>(lists: Map<K, A[]>, key: K, item: A): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
};
