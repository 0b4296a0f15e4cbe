/** Both packets of a die (docs/pixels-protocol.md §2). */
import {
  encodeManufacturerData,
  encodeServiceData,
  isCharging,
  ledCountOf,
  profileIds,
  SERVICE_DATA_UUID,
  type BatteryState,
} from '../../../src/protocols/pixels/index.js';
import {
  AdType,
  completeName,
  completeUuids,
  encodeAdvertisingData,
  generalDiscoverable,
  uuidBytes,
  type AdStructure,
} from '../../ble/advertising-data.js';
import { releaseOf } from './firmware.js';
import type { PixelState } from './state.js';

/** The room for the name in an advertisement, bytes. */
const MAX_ADVERTISED_NAME = 13;

const nameStructures = (name: string): readonly AdStructure[] => {
  if (name === '') return [];
  if (Buffer.byteLength(name) <= MAX_ADVERTISED_NAME) return [completeName(name)];
  const short = Buffer.alloc(MAX_ADVERTISED_NAME);
  // Only whole characters are written.
  return [{ type: AdType.shortName, value: short.subarray(0, short.write(name)) }];
};

export const advertisementOf = (state: PixelState, batteryState: BatteryState): Buffer => {
  const { profile } = releaseOf(state.firmware);
  const manufacturerData = encodeManufacturerData({
    profile,
    ledCount: ledCountOf(state.type),
    dieType: state.type,
    colorway: state.colorway,
    rollState: state.rollState,
    faceIndex: state.faceIndex,
    battery: state.batteryLevel,
    charging: isCharging(batteryState),
  });
  return encodeAdvertisingData([
    generalDiscoverable,
    ...completeUuids([SERVICE_DATA_UUID]),
    { type: AdType.manufacturerData, value: manufacturerData },
    ...nameStructures(state.name),
  ]);
};

export const scanResponseOf = ({ pixelId, firmware }: PixelState): Buffer => {
  const { profile, builtAt } = releaseOf(firmware);
  const serviceData = Buffer.concat([uuidBytes(SERVICE_DATA_UUID), encodeServiceData({ pixelId, builtAt })]);
  return encodeAdvertisingData([
    ...completeUuids([profileIds[profile].service]),
    { type: AdType.serviceData16, value: serviceData },
  ]);
};
