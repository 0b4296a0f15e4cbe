import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { uuidText } from '../../../src/ble/hci/att.js';
import { AdType, decodeAdvertisingData, type AdStructure } from '../../ble/advertising-data.js';

const hex = (bytes: Buffer): string => bytes.toString('hex');

type Fields = Record<string, string | number | boolean | null | (string | JsonRecord)[]>;

const advertised = (payload: Buffer, name: string): Fields => {
  const services: string[] = [];
  const [serviceData, manufacturerData, structures]: JsonRecord[][] = [[], [], []];
  const fields: Fields = {};
  const uuids = (value: Buffer, size: number): void => {
    for (let at = 0; at + size <= value.length; at += size)
      services.push(uuidText(value.subarray(at, at + size)));
  };
  const data = ({ value }: AdStructure, size: number): void =>
    void serviceData?.push({ uuid: uuidText(value.subarray(0, size)), value: hex(value.subarray(size)) });
  for (const structure of decodeAdvertisingData(payload)) {
    const { type, value } = structure;
    if (type === AdType.flags && value.length === 1) fields['flags'] = value.readUInt8(0);
    else if (type === AdType.completeName && value.toString() === name) fields['name'] = true;
    else if (type === AdType.completeUuids16 || type === AdType.incompleteUuids16) uuids(value, 2);
    else if (type === AdType.completeUuids128 || type === AdType.incompleteUuids128) uuids(value, 16);
    else if (type === AdType.txPower && value.length === 1) fields['tx_power'] = value.readInt8(0);
    else if (type === AdType.serviceData16 && value.length >= 2) data(structure, 2);
    else if (type === AdType.serviceData128 && value.length >= 16) data(structure, 16);
    else if (type === AdType.manufacturerData && value.length >= 2) {
      manufacturerData?.push({ company: value.readUInt16LE(0), value: hex(value.subarray(2)) });
    } else structures?.push({ type, value: hex(value) });
  }
  return {
    ...fields,
    ...(services.length > 0 && { services }),
    ...(serviceData?.length && { service_data: serviceData }),
    ...(manufacturerData?.length && { manufacturer_data: manufacturerData }),
    ...(structures?.length && { structures }),
  };
};

/** The field `advertising` for these payloads; `name` is the name of the device. */
export const advertisingFields = (advertisement: Buffer, scanResponse: Buffer, name: string): JsonRecord => {
  const { name: isFirst, ...fields } = advertised(advertisement, name);
  const { name: isSecond, ...response } = advertised(scanResponse, name);
  // A scan response has no flags (Core Specification Supplement Part A 1.3).
  Reflect.deleteProperty(response, 'flags');
  return {
    ...{ flags: null, name: isFirst === true || isSecond === true, ...fields },
    ...(Object.keys(response).length > 0 && { scan_response: response }),
  };
};
