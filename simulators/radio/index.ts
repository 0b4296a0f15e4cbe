export { Air, type AirOptions, type AirSettings, type Place } from './air.js';
export type { Complaint } from './complaints.js';
export type { ControllerOptions } from './controller.js';
export type { Fault, FaultSpec } from './faults.js';
export { H4Server, type Adapter } from './h4-server.js';
export type { PaceName } from './pace.js';
export { seededRng, type Rng } from './rng.js';
export { Trace } from './trace.js';
export { VirtualSocket } from './virtual-socket.js';
