/** Values on the network: each codec reads, writes and describes one. Pure: no express, no node. */
export * from './decode.js';
export * from './objects.js';
export type { ParseError } from './parse-error.js';
export { parseError } from './parse-error.js';
export type { AnyCodec, Codec, Described, Fields, JsonSchema } from './schema.js';
export { cut, shown } from './shown.js';
export { about, described, merged, named, without } from './schema.js';
export * from './values.js';
