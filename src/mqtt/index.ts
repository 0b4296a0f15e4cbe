/** Servers on a broker: the same rows by MQTT, and who has which device. */
export {
  NO_FLEET,
  openFleet,
  type Fleet,
  type FleetContext,
  type FleetOptions,
  type FleetState,
} from './fleet.js';
export type { Member, MemberDevice, Roamer } from './member.js';
export { observe, type FleetReport } from './observer.js';
export { operationsOf, type Operation, type Operations } from './operations.js';
