/** Servers on a broker: the same rows by MQTT, and who has which device. */
export { NO_FLEET, type Fleet, type FleetState } from './fleet.js';
export { TRUTH, valueAt, type Appliance, type DeviceTopics, type Entity } from './home-assistant.js';
export type { Member, MemberDevice, Roamer } from './member.js';
export { commandOperations, endpointOperations, type Operations } from './operations.js';
export type { FleetContext, FleetOptions } from './open-fleet.js';
