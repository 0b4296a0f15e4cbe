export { Bench, type BenchOptions } from './bench.js';
export { serveBenchControl, serveControl, type BenchControlOptions, type ControlOptions } from './control.js';
export { kinds, type KindName } from './kinds.js';
export { decodeSpecs, type DeviceSpec } from './specs.js';
export { World, type Adapters } from './world.js';
