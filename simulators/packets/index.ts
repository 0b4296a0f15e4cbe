/** The trace in words: every packet named as the Core specification does. */
export { DIRECTIONS, PROTOCOLS, type Packet } from './packet.js';
export { PacketReader, type TraceRecords, type Packets } from './reader.js';
