/** Any device, as a file describes it: its advertisements, its services, how it answers and pairs. */
import { deviceKind } from '../device-kind.js';
import { actionCodecs } from './actions.js';
import { GattBehaviour } from './behaviour.js';
import { StartBody } from './description/device.js';
import { VirtualGattDevice } from './virtual-gatt-device.js';

export const gatt = deviceKind({
  addressPrefix: 'F1:1E:00',
  addressType: ({ address_type: type }) => type,
  start: StartBody,
  actions: actionCodecs,
  behaviour: GattBehaviour,
  make: (start, behaviour, context) => new VirtualGattDevice(start, behaviour, context),
});
