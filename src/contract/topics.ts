/** The names of topics on a broker. */
import * as E from 'fp-ts/lib/Either.js';
import { deviceAddress } from '../codecs/index.js';
import { KINDS } from './kinds.js';

/** Characters of the name of a server. */
export const MAX_NAME = 100;

/** Of all servers, of all devices. */
export const ANY = '+';

/**
 * The names of all topics, below a prefix and the kind of device, such as `airbench/dice`, for the server `name`. Addresses are
 * written as everywhere, with colons, which topics may have.
 */
export const topicsOf = (prefix: string, kind: string, name: string) => {
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
    /** Whether a server is online: retained, and its last will. */
    server: `${root}/servers/${name}`,
    /** The same of another server, which others say of one that is gone without a word. */
    serverOf: (server: string) => `${root}/servers/${server}`,
    /** The name of the server whose status is on a topic. */
    serverIn: (topic: string) => nameIn(topic, ''),
    /** Of all servers: whether they are online. */
    servers: `${root}/servers/${ANY}`,
    /** How many devices a server has: retained. */
    serverState: `${root}/servers/${name}/state`,
    /** Commands to this server, by name behind it. */
    commands: `${root}/servers/${name}/commands`,
    /** Commands to another server, by name behind it. */
    commandsOf: (server: string) => `${root}/servers/${server}/commands`,
    /** Answers to commands that name no response topic. */
    result: `${root}/servers/${name}/result`,
    /** All devices that this server receives. */
    heard: `${root}/servers/${name}/heard`,
    /** The name of the server that says on a topic which devices it receives. */
    hearerIn: (topic: string) => nameIn(topic, '/heard'),
    /** Of all servers: the devices that they receive. */
    hearers: `${root}/servers/${ANY}/heard`,
    /** The devices of which this server has retained something: retained. */
    owned: `${root}/servers/${name}/owned`,
    /** Others ask whether this server is there. */
    asked: `${root}/servers/${name}/asked`,
    /** The same, of another server. */
    askedOf: (server: string) => `${root}/servers/${server}/asked`,
    /** Messages of this server to itself: what comes before them was under way before. */
    echo: `${root}/servers/${name}/echo`,
    /** Commands to the server that can do them best, by name behind it. */
    fleetCommands: `${root}/fleet/commands`,
    /** Which server carries such a command out. */
    taken: `${root}/fleet/taken`,
    /** Answers to such commands that name no response topic. */
    fleetResult: `${root}/fleet/result`,
    /** The state of a device: retained. */
    state: device('state'),
    stateIn: (topic: string) => addressIn(topic, '/state'),
    /** `online` or `offline`: retained. */
    availability: device('availability'),
    availableIn: (topic: string) => addressIn(topic, '/availability'),
    /** Each event of a device. */
    events: device('events'),
    /** Which server has a device: retained; and which one wants it. */
    owner: device('owner'),
    /** The address of the device whose owner is on a topic. */
    ownedIn: (topic: string) => addressIn(topic, '/owner'),
    /** How other servers receive a device that its owner has lost. */
    signals: device('heard'),
    signalledIn: (topic: string) => addressIn(topic, '/heard'),
    /** Commands to the server that has a device, by name behind it. */
    deviceCommands: device('commands'),
    /** The address of the device that a topic of commands is of. */
    commandedIn: (topic: string) => addressIn(topic, '/commands'),
    /** Whether a topic is one that servers of this prefix publish or listen on, whatever their kind. */
    isOfServers: (topic: string) => KINDS.some((each) => topic.startsWith(`${prefix}/${each}/`)),
  };
};

export type Topics = ReturnType<typeof topicsOf>;
