/** A capture of one device, made by a host that asks it for all that it has. */
export { describeExplored, valuesOf } from './describe.js';
export { explore, type Explored } from './explore.js';
export { Recorder } from './recorder.js';
