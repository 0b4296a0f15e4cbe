export { decodeChaos, schedule, type ChaosPlan, type Occurrence } from './chaos-plan.js';
export { serveControl, type ControlOptions } from './control.js';
export { decodeSpecs, type DeviceSpec } from './specs.js';
export { World, type Adapters } from './world.js';
