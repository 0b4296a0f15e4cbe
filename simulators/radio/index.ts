/** `airbench/radio`: controllers, the air between them, faults, captures, and the H4 server for hosts. */
export { Air, type AirOptions } from './air.js';
export type { Verdict, Violation } from './violations.js';
export type { ControllerOptions } from './controller.js';
export type { Fault } from './active-fault.js';
export type { FaultSpec, FaultType, PacketStage } from './fault-spec.js';
export type { Hook, Hooks, Stage, Stages } from './hooks.js';
export { H4Server, type Adapter } from './h4-server.js';
export type { AirSettings, Place } from './medium.js';
export type { PaceName } from './pace.js';
export { seededRng, type Rng } from './rng.js';
export { Trace, type TraceOptions } from './trace.js';
export { VirtualSocket } from './virtual-socket.js';
