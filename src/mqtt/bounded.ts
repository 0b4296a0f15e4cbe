/** Collections of what others say on a broker, who may make up as much of it as they like. */

interface Collection<K> {
  readonly size: number;
  readonly keys: () => Iterable<K>;
  readonly delete: (key: K) => boolean;
}

/** Servers of one prefix. */
export const MOST_SERVERS = 1_000;
/** Devices of which a server knows owner or signal: all of them are read again at each connection. */
export const MOST_DEVICES = 1_000;
/** Devices of a fleet of which one who only looks knows. */
export const MOST_SEEN = 10_000;
/** Servers whose signal of one device is known. */
export const MOST_HEARERS = 16;
/** Servers that may own one device. */
export const MOST_CANDIDATES = 32;
/** Bytes of a message in which a server tells of itself, or of what it wants. */
export const MAX_STATUS_BYTES = 2 * 1024;
/** Bytes of a list of devices. */
export const MAX_LIST_BYTES = 64 * 1024;

/** Takes the oldest out of a collection until it has `most`, but for those that are kept, and tells which it has taken. */
export const shrink = <K>(
  collection: Collection<K>,
  most: number,
  isKept: (key: K) => boolean = () => false,
  taken: (key: K) => void = () => undefined,
): void => {
  if (collection.size <= most) return;
  for (const key of collection.keys()) {
    if (collection.size <= most) return;
    if (isKept(key)) continue;
    collection.delete(key);
    taken(key);
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
