/** A capture of one device, made by a host that reads all of its values. */
export { describeExplored, valuesOf } from './describe.js';
export { explore, type Explored } from './explore.js';
export { Recorder } from './recorder.js';
