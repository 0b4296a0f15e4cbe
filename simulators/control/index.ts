/**
 * `airbench/control`: the world of virtual devices, its HTTP API, and what a kind of device is made of.
 * Failures are Lefts: a `ServerError` has a sentence in `message`.
 */
export type { Device, DeviceKind, MakeDevice, Surroundings } from '../device.js';
export {
  codecs,
  decode,
  listenSentence,
  notConnected,
  parseError,
  type HttpServer,
  type ListenError,
  type ServerError,
} from '../../src/http/index.js';
export type { Cancel, Clock } from '../../src/time.js';
export { decodeChaos, schedule, type ChaosPlan, type Occurrence } from './chaos-plan.js';
export { serveControl, type ControlOptions } from './control.js';
export { usualKinds, type Kinds } from './kinds.js';
export { decodeSpecs, type DeviceSpec } from './specs.js';
export { World, type Adapters } from './world.js';
