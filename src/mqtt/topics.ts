/**
 * The names of all topics, below a prefix and the kind of device, such as `airbench/dice`. Addresses are written as everywhere,
 * with colons, which topics may have.
 */
import type { Address } from '../ble/ports.js';

export interface Topics {
  /** Whether a server is online: retained, and its last will. */
  readonly server: string;
  /** Commands to this server, by name behind it. */
  readonly commands: string;
  /** What answers a command that names no response topic. */
  readonly result: string;
  /** What a server knows of a device: retained. */
  readonly state: (address: Address) => string;
  /** `online` or `offline`: retained. */
  readonly availability: (address: Address) => string;
  /** Each event of a device. */
  readonly events: (address: Address) => string;
  /** Which server has a device, or wants it: retained. */
  readonly owner: (address: Address) => string;
  /** Commands to whichever server has a device, by name behind it. */
  readonly deviceCommands: (address: Address) => string;
}

/** Of all servers, of all devices. */
export const ANY = '+';

export const topicsOf = (prefix: string, kind: string, name: string): Topics => {
  const root = `${prefix}/${kind}`;
  const device = (part: string) => (address: string) => `${root}/devices/${address}/${part}`;
  return {
    server: `${root}/servers/${name}`,
    commands: `${root}/servers/${name}/commands`,
    result: `${root}/servers/${name}/result`,
    state: device('state'),
    availability: device('availability'),
    events: device('events'),
    owner: device('owner'),
    deviceCommands: device('commands'),
  };
};
