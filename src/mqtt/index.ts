/** Servers on a broker: their operations over MQTT, and the owners of devices. */
export {
  NO_FLEET,
  type Fleet,
  type FleetState,
  type HeardDevices,
  type Member,
  type MemberDevice,
  type Roamer,
} from './fleet.js';
export { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from './home-assistant.js';
export { commandOperations, endpointOperations, type Operations } from './operations.js';
export type { FleetContext, FleetOptions } from './open-fleet.js';
