/** The names of topics on a broker. */
import * as E from 'fp-ts/lib/Either.js';
import { deviceAddress } from '../codecs/index.js';
import { KINDS } from './kinds.js';

/** Characters of the name of a server. */
export const MAX_NAME = 100;

/** The wildcard for one level: all servers, all devices, all commands. */
export const ANY = '+';

/** The last levels of topics on which this server receives its own messages and those of others. */
const OWN_PARTS = ['owned', 'asked', 'echo'] as const;
const DEVICE_PARTS = ['owner', 'state', 'availability', 'label', 'heard'] as const;

/** The subject of a message, by its topic. */
export type Route =
  | { readonly to: 'status' | 'hearer'; readonly server: string }
  | { readonly to: (typeof OWN_PARTS)[number] | 'taken' }
  | { readonly to: (typeof DEVICE_PARTS)[number]; readonly address: string }
  | { readonly to: 'fleet command' | 'server command'; readonly command: string }
  | { readonly to: 'device command'; readonly address: string; readonly command: string };

const serverRoute = (server: string, [part, command]: readonly string[], name: string): Route | undefined => {
  if (server === '' || server.length > MAX_NAME) return undefined;
  if (part === undefined) return { to: 'status', server };
  if (part === 'heard' && command === undefined) return { to: 'hearer', server };
  if (server !== name) return undefined;
  if (command !== undefined) return part === 'commands' ? { to: 'server command', command } : undefined;
  const to = OWN_PARTS.find((each) => each === part);
  return to === undefined ? undefined : { to };
};

const deviceRoute = (level: string, [part, command]: readonly string[]): Route | undefined => {
  const address = deviceAddress.decode(level);
  if (E.isLeft(address) || address.right !== level) return undefined;
  if (command !== undefined)
    return part === 'commands' ? { to: 'device command', address: level, command } : undefined;
  const to = DEVICE_PARTS.find((each) => each === part);
  return to === undefined ? undefined : { to, address: level };
};

const fleetRoute = (part: string, [command]: readonly string[]): Route | undefined => {
  if (part === 'taken') return command === undefined ? { to: 'taken' } : undefined;
  return part === 'commands' && command !== undefined ? { to: 'fleet command', command } : undefined;
};

/**
 * The names of all topics, below a prefix and the kind of device, such as `airbench/dice`, for the server `name`. Addresses are
 * written as everywhere, with colons, which topics may have.
 */
export const topicsOf = (prefix: string, kind: string, name: string) => {
  const root = `${prefix}/${kind}`;
  const device = (part: string) => (address: string) => `${root}/devices/${address}/${part}`;
  return {
    /** The route of a message; undefined: servers do not listen on its topic. */
    routeOf: (topic: string): Route | undefined => {
      if (!topic.startsWith(`${root}/`)) return undefined;
      const [group, level = '', ...lastLevels] = topic.slice(root.length + 1).split('/');
      if (lastLevels.length > 2) return undefined;
      if (group === 'servers') return serverRoute(level, lastLevels, name);
      if (group === 'devices') return deviceRoute(level, lastLevels);
      return group === 'fleet' ? fleetRoute(level, lastLevels) : undefined;
    },
    /** Whether this server is online: retained, and its last will. */
    server: `${root}/servers/${name}`,
    /** Whether another server is online; other servers publish the end of a lost server. */
    serverOf: (server: string) => `${root}/servers/${server}`,
    /** Whether each server is online. */
    servers: `${root}/servers/${ANY}`,
    /** The number of this server's devices: retained. */
    serverState: `${root}/servers/${name}/state`,
    /** Commands to this server: the name is the next level. */
    commands: `${root}/servers/${name}/commands`,
    /** Commands to another server. */
    commandsOf: (server: string) => `${root}/servers/${server}/commands`,
    /** Answers to commands without a response topic. */
    result: `${root}/servers/${name}/result`,
    /** All devices that this server receives. */
    heard: `${root}/servers/${name}/heard`,
    /** The devices that each server receives. */
    hearers: `${root}/servers/${ANY}/heard`,
    /** The devices with retained messages of this server: retained. */
    owned: `${root}/servers/${name}/owned`,
    /** Questions of other servers whether this server is online. */
    asked: `${root}/servers/${name}/asked`,
    /** Questions whether another server is online. */
    askedOf: (server: string) => `${root}/servers/${server}/asked`,
    /** Messages of this server to itself: all earlier messages arrive before them. */
    echo: `${root}/servers/${name}/echo`,
    /** Commands to the fleet, for the server that can carry them out best. */
    fleetCommands: `${root}/fleet/commands`,
    /** The server that carries out a command to the fleet. */
    taken: `${root}/fleet/taken`,
    /** Answers to commands to the fleet without a response topic. */
    fleetResult: `${root}/fleet/result`,
    /** The state of a device: retained. */
    state: device('state'),
    /** `online` or `offline`: retained. */
    availability: device('availability'),
    /** The latest label of a device on any server: retained. */
    label: device('label'),
    /** Each event of a device. */
    events: device('events'),
    /** The server that owns a device, retained; and servers that claim it. */
    owner: device('owner'),
    /** The signals of a lost device at other servers than its owner. */
    signals: device('heard'),
    /** Commands to the owner of a device. */
    deviceCommands: device('commands'),
    /** Whether servers of this prefix, of any kind, publish or listen on a topic. */
    isOfServers: (topic: string) => KINDS.some((each) => topic.startsWith(`${prefix}/${each}/`)),
  };
};

export type Topics = ReturnType<typeof topicsOf>;
