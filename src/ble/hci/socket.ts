import type { EventEmitter } from 'node:events';

/**
 * The socket that noble and bleno expect of `bluetooth-hci-socket`. Packets carry their H4 type byte first
 * (Core 5.4 Vol 4 Part A 2), one packet per `data` event.
 *
 * Events: `data` (packet: Buffer), `error` (Error); sockets of airbench also emit `up` and `down` when their
 * controller comes and goes, so that noble need not poll `isDevUp`.
 */
export interface HciSocket extends EventEmitter {
  bindRaw(deviceId?: number): number;
  bindUser(deviceId?: number): number;
  bindControl(): void;
  start(): void;
  stop(): void;
  /** null: not yet known, so that noble and bleno report no state yet. */
  isDevUp(): boolean | null;
  setFilter(filter: Buffer): void;
  write(packet: Buffer): void;
}
