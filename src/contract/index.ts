/** The operations of clients and their errors, as values. Pure: no express, no node. */
export * from './command.js';
export * from './contract.js';
export * from './endpoint.js';
export * from './failures.js';
export * from './fleet.js';
export * from './kinds.js';
export * from './operation.js';
export * from './records.js';
export * from './socket.js';
