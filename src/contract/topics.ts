/** The names of topics on a broker. */
import * as E from 'fp-ts/lib/Either.js';
import { deviceAddress } from '../codecs/index.js';
import { KINDS } from './kinds.js';

/** Characters of the name of a server. */
export const MAX_NAME = 100;

/** The wildcard for one level: all servers, all devices, all commands. */
export const ANY = '+';

/** The subject of a message, by its topic. */
export type Route =
  | { readonly to: 'status' | 'devices' | 'hearer' | 'earlier devices'; readonly server: string }
  | { readonly to: 'availability'; readonly server: string; readonly address: string }
  | { readonly to: 'label'; readonly address: string }
  | { readonly to: 'server command'; readonly command: string }
  | { readonly to: 'device command'; readonly address: string; readonly command: string };

const addressIn = (level: string): string | undefined => {
  const address = deviceAddress.decode(level);
  return E.isRight(address) && address.right === level ? level : undefined;
};

const serverRoute = (server: string, levels: readonly string[], name: string): Route | undefined => {
  if (server === '' || server.length > MAX_NAME) return undefined;
  const [part, second = '', third] = levels;
  switch (levels.length) {
    case 0:
      return { to: 'status', server };
    case 1:
      if (part === 'devices') return { to: 'devices', server };
      if (part === 'owned') return { to: 'earlier devices', server };
      return part === 'heard' ? { to: 'hearer', server } : undefined;
    case 2:
      return part === 'commands' && server === name ? { to: 'server command', command: second } : undefined;
    default: {
      const address = addressIn(second);
      return part === 'devices' && third === 'availability' && address !== undefined
        ? { to: 'availability', server, address }
        : undefined;
    }
  }
};

const deviceRoute = (level: string, [part, command]: readonly string[]): Route | undefined => {
  const address = addressIn(level);
  if (address === undefined) return undefined;
  if (part === 'commands' && command !== undefined) return { to: 'device command', address, command };
  return part === 'label' && command === undefined ? { to: 'label', address } : undefined;
};

/**
 * The names of all topics, below a prefix and the kind of device, such as `airbench/dice`, for the server `name`. Addresses are
 * written as everywhere, with colons, which topics may have. A server writes below its own name alone, and shares the labels of
 * devices. Labels and commands to devices have topics that name no server.
 */
export const topicsOf = (prefix: string, kind: string, name: string) => {
  const root = `${prefix}/${kind}`;
  const server = `${root}/servers/${name}`;
  const ofServer = (part: string) => (address: string) => `${server}/devices/${address}/${part}`;
  const shared = (part: string) => (address: string) => `${root}/devices/${address}/${part}`;
  return {
    /** The route of a message; undefined: servers do not listen on its topic. */
    routeOf: (topic: string): Route | undefined => {
      if (!topic.startsWith(`${root}/`)) return undefined;
      const [group, level = '', ...lastLevels] = topic.slice(root.length + 1).split('/');
      if (lastLevels.length > 3) return undefined;
      if (group === 'servers') return serverRoute(level, lastLevels, name);
      return group === 'devices' ? deviceRoute(level, lastLevels) : undefined;
    },
    /** Whether this server is online: retained, and its last will. */
    server,
    /** Whether another server is online. */
    serverOf: (other: string) => `${root}/servers/${other}`,
    /** The number of this server's devices with a link: retained. */
    serverState: `${server}/state`,
    /** The devices of this server: retained. */
    devices: `${server}/devices`,
    /** Commands to this server: the name is the next level. */
    commands: `${server}/commands`,
    /** Answers to commands without a response topic. */
    result: `${server}/result`,
    /** All devices that this server receives. */
    heard: `${server}/heard`,
    /** The devices that each server receives. */
    hearers: `${root}/servers/${ANY}/heard`,
    /** The state of a device at this server: retained. */
    state: ofServer('state'),
    /** `online` or `offline`: retained. */
    availability: ofServer('availability'),
    /** Whether a device can be reached through any server. */
    availabilities: (address: string) => `${root}/servers/${ANY}/devices/${address}/availability`,
    /** The state of a device at any server. */
    states: (address: string) => `${root}/servers/${ANY}/devices/${address}/state`,
    /** Each event of a device. */
    events: ofServer('events'),
    /** The latest label of a device on any server: retained. */
    label: shared('label'),
    /** Commands to a server that has the device. */
    deviceCommands: shared('commands'),
    /** Retained messages of earlier versions: the list of a server's devices, and its topics for each. */
    earlier: {
      devices: `${server}/owned`,
      topics: (address: string): readonly string[] =>
        ['state', 'availability', 'owner'].map((part) => shared(part)(address)),
    },
    /** Whether servers of this prefix, of any kind, publish or listen on a topic. */
    isOfServers: (topic: string) => KINDS.some((each) => topic.startsWith(`${prefix}/${each}/`)),
  };
};

export type Topics = ReturnType<typeof topicsOf>;
