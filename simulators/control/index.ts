/**
 * `airbench/control`: the world of virtual devices, its HTTP API, and the parts of a kind of device.
 * Failures are Lefts; `deviceMessage(error)` and `listenMessage(error)` are their messages.
 */
export type { ActionCodecs, Actions, Device, Context } from '../devices/device.js';
export { actionFailed, deviceMessage, type DeviceError } from '../devices/device-error.js';
export { deviceKind, type DeviceKind, type DeviceKindOptions } from '../devices/device-kind.js';
export { listenError, listenMessage, type HttpServer, type ListenError } from '../../src/http/index.js';
export * as codecs from '../../src/codecs/index.js';
export { decode, parseError, type ParseError } from '../../src/codecs/index.js';
export type { Cancel, TimeSource as Clock } from '../../src/async/time.js';
export { Bench, type BenchOptions } from './bench.js';
export { decodeChaos, schedule, type ChaosPlan, type Occurrence } from './chaos-plan.js';
export type { ProxyReport } from './contract.js';
export { serveBenchControl, serveControl, type BenchControlOptions, type ControlOptions } from './control.js';
export { builtInKinds, type Kinds, type CountedKind } from './kinds.js';
export type { ProxySpec } from './adapter-rows.js';
export { decodeSpecs } from './spec-file.js';
export type { DeviceSpec } from './specs.js';
export { World, type Adapters } from './world.js';
