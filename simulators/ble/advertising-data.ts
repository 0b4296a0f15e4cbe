/** Advertising data as devices make them. */
import { AdType, type AdStructure } from '../../src/ble/hci/advertising-data.js';

export {
  AdType,
  decodeAdvertisingData,
  namesIn,
  type AdStructure,
} from '../../src/ble/hci/advertising-data.js';

/** The maximum of a legacy advertising or scan response PDU, bytes. */
export const MAX_ADVERTISING_DATA = 31;

/** The length of the structures, bytes. */
export const advertisedLength = (structures: readonly AdStructure[]): number =>
  structures.reduce((sum, { value }) => sum + value.length + 2, 0);

/** @throws RangeError if the structures do not fit `MAX_ADVERTISING_DATA` bytes. */
export const encodeAdvertisingData = (structures: readonly AdStructure[]): Buffer => {
  const data = Buffer.concat(
    structures.map(({ type, value }) => Buffer.concat([Buffer.from([value.length + 1, type]), value])),
  );
  if (data.length > MAX_ADVERTISING_DATA) {
    throw new RangeError(
      `advertising data must be at most ${MAX_ADVERTISING_DATA} bytes, got ${data.length}`,
    );
  }
  return data;
};

/** A UUID (4 or 32 hex digits, dashes allowed) in the little-endian order of the air. */
export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex').reverse();

/** General discoverable, BR/EDR not supported. */
export const generalDiscoverable: AdStructure = { type: AdType.flags, value: Buffer.from([0x06]) };

export const completeName = (name: string): AdStructure => ({
  type: AdType.completeName,
  value: Buffer.from(name),
});

/** All services: a structure for the UUIDs of 16 bits, and a structure for the UUIDs of 128 bits. */
export const completeUuids = (uuids: readonly string[]): readonly AdStructure[] => {
  const values = uuids.map(uuidBytes);
  const structure = (type: number, bytes: number): AdStructure => ({
    type,
    value: Buffer.concat(values.filter(({ length }) => length === bytes)),
  });
  return [structure(AdType.completeUuids16, 2), structure(AdType.completeUuids128, 16)].filter(
    ({ value }) => value.length > 0,
  );
};
