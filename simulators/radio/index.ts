/** `airbench/radio`: controllers, the air between them, faults, captures, and the H4 server for hosts. */
export { Air, type AirOptions } from './air/air.js';
export type { Verdict, Violation } from './conformance/violations.js';
export type { ControllerOptions } from './controller/controller.js';
export type { Fault } from './faults/active-fault.js';
export type { FaultyProxy } from './faults/faulty-proxy.js';
export type { FaultSpec, FaultType, PacketStage } from './faults/fault-spec.js';
export type { Hook, Hooks, Stage, Stages } from './medium/hooks.js';
export { H4Server, type Adapter, type AttachOptions } from './sockets/h4-server.js';
export type { AirSettings, Reception } from './medium/medium.js';
export type { PaceName } from './medium/pace.js';
export { seededRng, type Rng } from './medium/rng.js';
export { Trace, type TraceOptions } from './medium/trace.js';
export { VirtualSocket } from './sockets/virtual-socket.js';
