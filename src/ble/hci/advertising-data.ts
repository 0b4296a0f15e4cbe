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

export interface AdStructure {
  readonly type: number;
  readonly value: Buffer;
}

/** The names among structures, short or complete. */
export const namesIn = (structures: readonly AdStructure[]): readonly Buffer[] =>
  structures
    .filter(({ type }) => type === AdType.shortName || type === AdType.completeName)
    .map(({ value }) => value);

/** Reads all complete structures; a zero length ends the data early, a truncated structure is left out. */
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
