/**
 * The names of all topics, below a prefix and the kind of device, such as `airbench/dice`. Addresses are written as everywhere,
 * with colons, which topics may have.
 */
import * as E from 'fp-ts/lib/Either.js';
import { deviceAddress } from '../codecs/index.js';
import { KINDS } from './kinds.js';

export interface Topics {
  /** Whether a server is online: retained, and its last will. */
  readonly server: string;
  /** The name of the server whose status is on a topic. */
  readonly serverIn: (topic: string) => string | undefined;
  /** Of all servers: whether they are online. */
  readonly servers: string;
  /** Commands to this server, by name behind it. */
  readonly commands: string;
  /** Answers to commands that name no response topic. */
  readonly result: string;
  /** The topic of the devices that this server receives. */
  readonly heard: string;
  /** The name of the server that says on a topic what it hears. */
  readonly hearerIn: (topic: string) => string | undefined;
  /** Of all servers: what they hear. */
  readonly hearers: string;
  /** The topic of the devices of other servers, sent to this one when it has connected. */
  readonly owned: string;
  /** The same, of another server. */
  readonly ownedOf: (server: string) => string;
  /** Commands to whichever server can do them best, by name behind it. */
  readonly fleetCommands: string;
  /** Answers to such commands that name no response topic. */
  readonly fleetResult: string;
  /** Commands to a server, by name behind it. */
  readonly commandsOf: (server: string) => string;
  /** The state of a device: retained. */
  readonly state: (address: string) => string;
  /** `online` or `offline`: retained. */
  readonly availability: (address: string) => string;
  readonly availableIn: (topic: string) => string | undefined;
  /** Each event of a device. */
  readonly events: (address: string) => string;
  /** Which server has a device: retained; and which one wants it. */
  readonly owner: (address: string) => string;
  /** The address of the device whose owner is on a topic. */
  readonly ownedIn: (topic: string) => string | undefined;
  /** Commands to whichever server has a device, by name behind it. */
  readonly deviceCommands: (address: string) => string;
  /** The address of the device that a topic of commands is of. */
  readonly commandedIn: (topic: string) => string | undefined;
  /** Whether a topic is one that servers of this prefix publish or listen on, whatever their kind. */
  readonly isOfServers: (topic: string) => boolean;
}

/** Characters of the name of a server. */
export const MAX_NAME = 100;

/** Of all servers, of all devices. */
export const ANY = '+';

export const topicsOf = (prefix: string, kind: string, name: string): Topics => {
  const root = `${prefix}/${kind}`;
  const device = (part: string) => (address: string) => `${root}/devices/${address}/${part}`;
  /** The level that stands between two others. */
  const between = (topic: string, before: string, after: string): string | undefined => {
    if (!topic.startsWith(before) || !topic.endsWith(after)) return undefined;
    const level = topic.slice(before.length, topic.length - after.length);
    return level === '' || level.includes('/') ? undefined : level;
  };
  const nameIn = (topic: string, after: string): string | undefined => {
    const level = between(topic, `${root}/servers/`, after);
    return level === undefined || level.length > MAX_NAME ? undefined : level;
  };
  const addressIn = (topic: string, after: string): string | undefined => {
    const level = between(topic, `${root}/devices/`, after);
    const address = deviceAddress.decode(level);
    return E.isRight(address) && address.right === level ? level : undefined;
  };
  return {
    servers: `${root}/servers/${ANY}`,
    serverIn: (topic) => nameIn(topic, ''),
    ownedIn: (topic) => addressIn(topic, '/owner'),
    server: `${root}/servers/${name}`,
    commands: `${root}/servers/${name}/commands`,
    result: `${root}/servers/${name}/result`,
    heard: `${root}/servers/${name}/heard`,
    hearerIn: (topic) => nameIn(topic, '/heard'),
    hearers: `${root}/servers/${ANY}/heard`,
    owned: `${root}/servers/${name}/owned`,
    ownedOf: (server) => `${root}/servers/${server}/owned`,
    fleetCommands: `${root}/fleet/commands`,
    fleetResult: `${root}/fleet/result`,
    commandsOf: (server) => `${root}/servers/${server}/commands`,
    state: device('state'),
    availability: device('availability'),
    availableIn: (topic) => addressIn(topic, '/availability'),
    events: device('events'),
    owner: device('owner'),
    deviceCommands: device('commands'),
    commandedIn: (topic) => addressIn(topic, '/commands'),
    isOfServers: (topic) => KINDS.some((each) => topic.startsWith(`${prefix}/${each}/`)),
  };
};
