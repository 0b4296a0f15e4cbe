import type { FoundService } from '../ble/noble/index.js';
import { uuidFields, type GattService } from '../esphome/index.js';

/** Services as the API has them. */
export const gattService = ({ handle, uuid, characteristics }: FoundService): GattService => ({
  ...uuidFields(uuid),
  handle,
  characteristics: characteristics.map((characteristic) => ({
    ...uuidFields(characteristic.uuid),
    handle: characteristic.handle,
    properties: characteristic.properties,
    descriptors: characteristic.descriptors.map((descriptor) => ({
      ...uuidFields(descriptor.uuid),
      handle: descriptor.handle,
    })),
  })),
});
