/** Collections with limits for the messages from a broker, whose clients may invent any number of servers and devices. */

interface Collection<K> {
  readonly size: number;
  readonly keys: () => Iterable<K>;
  readonly delete: (key: K) => boolean;
}

/** Servers of one prefix. */
export const MOST_SERVERS = 1_000;
/** Devices whose owner or signal a server knows: all of them are read again at each connection. */
export const MOST_DEVICES = 1_000;
/** Devices of a fleet that an observer knows. */
export const MOST_SEEN = 10_000;
/** Servers that hear one device. */
export const MOST_HEARERS = 16;
/** Servers that may own one device. */
export const MOST_CANDIDATES = 32;
/** Bytes of a message of a server about itself or its claims. */
export const MAX_STATUS_BYTES = 2 * 1024;
/** Bytes of a list of devices. */
export const MAX_LIST_BYTES = 64 * 1024;

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
