/**
 * Advertising data: a sequence of AD structures, each length, type, value
 * (Core 5.4 Vol 3 Part C 11; types from the Assigned Numbers, Core Specification Supplement Part A).
 */
export const AdType = {
  flags: 0x01,
  incompleteUuids16: 0x02,
  completeUuids16: 0x03,
  incompleteUuids128: 0x06,
  completeUuids128: 0x07,
  shortName: 0x08,
  completeName: 0x09,
  txPower: 0x0a,
  serviceData16: 0x16,
  appearance: 0x19,
  serviceData128: 0x21,
  manufacturerData: 0xff,
} as const;

/** The most that a legacy advertising or scan response PDU carries. */
export const MAX_ADVERTISING_DATA = 31;

export interface AdStructure {
  readonly type: number;
  readonly value: Buffer;
}

/** Bytes that the structures take. */
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

/** Reads as many whole structures as there are; a zero length ends the data early, a cut one is left out. */
export const decodeAdvertisingData = (data: Buffer): readonly AdStructure[] => {
  const structures: AdStructure[] = [];
  let offset = 0;
  while (offset < data.length) {
    const length = data.readUInt8(offset);
    if (length === 0 || offset + 1 + length > data.length) break;
    structures.push({
      type: data.readUInt8(offset + 1),
      value: data.subarray(offset + 2, offset + 1 + length),
    });
    offset += 1 + length;
  }
  return structures;
};

/** A UUID (4 or 32 hex digits, dashes allowed) in the little-endian order of the air. */
export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex').reverse();

/** General discoverable, BR/EDR not supported. */
export const generalDiscoverable: AdStructure = { type: AdType.flags, value: Buffer.from([0x06]) };

export const completeName = (name: string): AdStructure => ({
  type: AdType.completeName,
  value: Buffer.from(name),
});

/** All services: a structure for the UUIDs of 16 bits, and one for those of 128. */
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
