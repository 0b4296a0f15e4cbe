/** Any device, as a file describes it: its advertisements, its services, how it answers and pairs. */
export { gatt } from './kind.js';
export { describeRecording } from './from-recording.js';
