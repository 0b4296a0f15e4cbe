/** The trace in words, with the names of the Core specification. */
export { DIRECTIONS, PROTOCOLS, type Packet } from './packet.js';
export { PacketReader, type TraceRecords, type Packets } from './reader.js';
