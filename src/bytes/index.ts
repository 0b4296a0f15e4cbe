/** Bytes into values and back: the parts that the layouts of HCI, GoDice and the CGD1 are made of. Pure. */
export * from './fields.js';
export * from './layout.js';
export * from './wire-table.js';
