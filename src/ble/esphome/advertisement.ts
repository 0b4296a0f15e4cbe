import { AdType, decodeAdvertisingData, type AdStructure } from '../hci/advertising-data.js';
import { uuidText } from '../hci/att.js';
import type { Advertisement } from '../ports.js';

const pieces = (value: Buffer, size: number): readonly Buffer[] =>
  Array.from({ length: Math.floor(value.length / size) }, (_, index) =>
    value.subarray(index * size, (index + 1) * size),
  );

const UUID_BYTES: Readonly<Record<number, number>> = {
  [AdType.incompleteUuids16]: 2,
  [AdType.completeUuids16]: 2,
  [AdType.incompleteUuids128]: 16,
  [AdType.completeUuids128]: 16,
};

const last = (structures: readonly AdStructure[], ...types: readonly number[]): Buffer | undefined =>
  structures.filter(({ type }) => types.includes(type)).at(-1)?.value;

/** `1800` stays `1800`, and `00ff` becomes `ff`. */
const withoutZeros = (uuid: string): string => (uuid.length > 4 ? uuid : uuid.replace(/^0+(?=.)/, ''));

export type Contents = Pick<Advertisement, 'name' | 'serviceUuids' | 'manufacturerData' | 'serviceData'>;

/** The contents of a packet, completed from earlier packets: only the scan response contains the name. */
export const contentsOf = (data: Buffer, before: Contents | undefined): Contents => {
  const structures = decodeAdvertisingData(data);
  const name = last(structures, AdType.shortName, AdType.completeName);
  const manufacturerData = last(structures, AdType.manufacturerData);
  const serviceUuids = structures.flatMap(({ type, value }) =>
    pieces(value, UUID_BYTES[type] ?? Infinity).map((uuid) => withoutZeros(uuidText(uuid))),
  );
  const serviceData = structures
    .filter(({ type, value }) => type === AdType.serviceData16 && value.length >= 2)
    .map(({ value }) => ({ uuid: uuidText(value.subarray(0, 2)), data: value.subarray(2) }));
  return {
    name: name?.toString('utf8').replace(/\0+$/, '') ?? before?.name ?? null,
    manufacturerData: manufacturerData ?? before?.manufacturerData ?? null,
    serviceUuids: serviceUuids.length > 0 ? [...new Set(serviceUuids)] : (before?.serviceUuids ?? []),
    serviceData: serviceData.length > 0 ? serviceData : (before?.serviceData ?? []),
  };
};
