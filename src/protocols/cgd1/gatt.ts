/**
 * UUIDs of the clock, lower case without dashes (docs/cgd1-protocol.md §2). The characteristics of its service have
 * 16-bit UUIDs, which noble reports without leading zeros: 0x0001 is `1`, 0x000B is `b`.
 */

/** The vendor's service. */
export const CLOCK_SERVICE = '22210000554a4546554246534450464d';

/** Host to clock: authentication, time, firmware; write. */
export const AUTH_WRITE = '1';

/** Clock to host: answers to `AUTH_WRITE`; notify. */
export const AUTH_NOTIFY = '2';

/** Host to clock: everything else; write. */
export const DATA_WRITE = 'b';

/** Clock to host: answers to `DATA_WRITE`; notify. */
export const DATA_NOTIFY = 'c';

/** Clock to host: readings, without a request; notify. */
export const READING_NOTIFY = '100';

export const BATTERY_SERVICE = '180f';

/** Read and notify; the value of real clocks is always `CONSTANT_BATTERY` (docs/cgd1-protocol.md §10). */
export const BATTERY_LEVEL = '2a19';

/** The constant value of 2A19 of real clocks, per cent. */
export const CONSTANT_BATTERY = 99;

/** The 16-bit UUID of the service data with readings in the advertisement. */
export const READING_SERVICE_DATA = 'fdcd';

/** The 16-bit UUID of Xiaomi's service data in the advertisement. */
export const XIAOMI_SERVICE_DATA = 'fe95';

/** A UUID with the leading zeros that noble leaves out; bleno and the air need them. */
export const paddedUuid = (uuid: string): string => uuid.padStart(4, '0');
