/** Bytes into values and back: the parts of the layouts of HCI, GoDice and the CGD1. Pure. */
export * from './fields.js';
export * from './layout.js';
export * from './wire-table.js';
