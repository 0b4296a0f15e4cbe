/** Limits for the messages from a broker, whose clients may invent any number of servers and devices. */

/** Servers of one prefix. */
export const MOST_SERVERS = 1_000;
/** Devices of a server. */
export const MOST_DEVICES = 1_000;
/** Devices of all servers that an observer knows. */
export const MOST_SEEN = 10_000;
/** Servers that hear one device, or have it. */
export const MOST_HEARERS = 16;
/** Parts of a device in Home Assistant. */
export const MOST_PARTS = 500;
/** Bytes of a message of a server about itself. */
export const MAX_STATUS_BYTES = 2 * 1024;
/** Bytes of a list of devices. */
export const MAX_LIST_BYTES = 64 * 1024;
