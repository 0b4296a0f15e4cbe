/** Collections that keep the newest of their keys. */

interface Collection<K> {
  readonly size: number;
  readonly keys: () => Iterable<K>;
  readonly delete: (key: K) => boolean;
}

/** Removes the oldest keys of a collection, except the kept ones, until `most` remain; reports each removed key. */
export const shrink = <K>(
  collection: Collection<K>,
  most: number,
  isKept: (key: K) => boolean = () => false,
  removed: (key: K) => void = () => undefined,
): void => {
  if (collection.size <= most) return;
  for (const key of collection.keys()) {
    if (collection.size <= most) return;
    if (isKept(key)) continue;
    collection.delete(key);
    removed(key);
  }
};

/** Sets a key as the newest of a map of at most `most`. */
export const setNewest = <K, V>(
  map: Map<K, V>,
  key: K,
  value: V,
  most: number,
  isKept?: (key: K) => boolean,
): void => {
  map.delete(key);
  map.set(key, value);
  shrink(map, most, isKept);
};

/** Adds a key as the newest of a set of at most `most`; reports each removed key. */
export const addNewest = <K>(keys: Set<K>, key: K, most: number, removed?: (key: K) => void): void => {
  keys.delete(key);
  keys.add(key);
  shrink(keys, most, undefined, removed);
};
