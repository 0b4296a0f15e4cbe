/** Servers on a broker: their operations over MQTT, and their retained messages. */
export {
  NO_FLEET,
  type Fleet,
  type FleetState,
  type HeardDevices,
  type Member,
  type MemberDevice,
} from './fleet.js';
export { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from './home-assistant.js';
export { commandOperations, endpointOperations, type Operations } from './operations.js';
export type { FleetContext, FleetOptions } from './open-fleet.js';
