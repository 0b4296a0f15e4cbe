export { serveControl, type ControlOptions } from './control.js';
export { decodeSpecs, type DeviceSpec } from './specs.js';
export { World, type Adapters } from './world.js';
