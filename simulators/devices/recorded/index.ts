export type { Piece } from './pieces.js';
export { readRecording, type Recording } from './recording.js';
export { ReplayedDevice, type ReplayOptions } from './replayed-device.js';
export type { Chunks } from './btsnoop.js';
