/** Any device, as a file describes it: its advertisements, its services, how it answers and pairs. */
export { gatt } from './kind.js';
export { importDevice } from './import/import.js';
export { describeRecording } from './import/recording.js';
