/** Limits for the messages from a broker, whose clients may invent any number of servers and devices. */

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
