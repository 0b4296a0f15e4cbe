/** Addresses and UUIDs in the form of the ESPHome native API and in ours. */

/** `AA:BB:CC:DD:EE:FF` as a number, its first byte the highest. */
export const addressNumber = (address: string): bigint => BigInt(`0x${address.replaceAll(':', '')}`);

export const addressText = (number: bigint): string =>
  number
    .toString(16)
    .padStart(12, '0')
    .toUpperCase()
    .replace(/(..)(?=.)/g, '$1:');

/** The end of the UUIDs that are written in 16 or 32 bits (Core 5.4 Vol 3 Part B 2.5.1). */
const BASE = '00001000800000805f9b34fb';

const HALF_BITS = 64n;
const HALF = (1n << HALF_BITS) - 1n;

/** A UUID: of the Bluetooth base in one number, any other in two, the higher half first. */
export interface UuidFields {
  readonly shortUuid: number;
  readonly uuid: readonly bigint[];
}

/** 32 lower-case hex digits. */
export const uuidOf = ({ shortUuid, uuid }: UuidFields): string => {
  const [high = 0n, low = 0n] = uuid;
  return shortUuid === 0
    ? ((high << HALF_BITS) | low).toString(16).padStart(32, '0')
    : `${shortUuid.toString(16).padStart(8, '0')}${BASE}`;
};

/** `uuid`: 4, 8 or 32 hex digits. */
export const uuidFields = (uuid: string): UuidFields => {
  const short = uuid.length <= 8 ? uuid : uuid.endsWith(BASE) ? uuid.slice(0, 8) : undefined;
  if (short !== undefined) return { shortUuid: parseInt(short, 16), uuid: [] };
  const number = BigInt(`0x${uuid}`);
  return { shortUuid: 0, uuid: [number >> HALF_BITS, number & HALF] };
};
