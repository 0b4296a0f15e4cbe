/** A server on a broker: what it says of itself and its devices, and what it is asked. */
import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import type { Address } from '../ble/ports.js';
import { decode, deviceAddress, object } from '../codecs/index.js';
import { ServerStatus, type Kind } from '../contract/index.js';
import type { Metrics } from '../metrics/index.js';
import { version } from '../system/package.js';
import type { TimeSource } from '../async/time.js';
import { NO_BRIDGE, openBridge } from './bridge.js';
import { openBroker, type Broker, type BrokerOptions, type Message } from './broker.js';
import { readClaim, type Identity } from './claims.js';
import { readPayload } from './envelope.js';
import type { Fleet } from './fleet.js';
import { BORN, discoveryOf } from './home-assistant.js';
import type { Member, MemberDevice } from './member.js';
import { openMinuteLog } from './minute-log.js';
import { openOwners } from './owners.js';
import { paced } from './paced.js';
import { openPublications } from './publications.js';
import { openRequests, type Requests } from './requests.js';
import { openRoaming } from './roaming.js';
import { ANY, topicsOf } from '../contract/topics.js';

export interface FleetOptions extends BrokerOptions {
  readonly prefix: string;
  /** Of this server, another one for each server of its kind. */
  readonly name: string;
  /** The beginning of Home Assistant's topics; undefined: it is told nothing. */
  readonly homeAssistant?: string | undefined;
  /** Hands a lost device over to a server that hears it better. */
  readonly roam?: boolean;
}

export interface FleetContext {
  readonly kind: Kind;
  readonly time: TimeSource;
  /** 0 up to 1; spreads retries. */
  readonly random?: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Unguessable and never the same again: of each connection to the broker. */
  readonly newInstance?: () => string;
}

/** Commands that wait for the server to start, and those to the fleet that wait for it to join. */
const MAX_EARLY = 256;

/** The message of a server to another to which it hands a device over. */
const TAKE_OVER = 'take_over';

const unguessable = (): string => randomBytes(8).toString('base64url');

/** The address in the payload of a command, if it has one. */
const addressIn = (message: Message): Address | undefined =>
  pipe(
    readPayload(message),
    E.chainW(decode(object({ address: deviceAddress }), 'the payload')),
    E.match(
      () => undefined,
      ({ address }) => address,
    ),
  );

export const openFleet = (
  { prefix, name, homeAssistant, roam = false, ...broker }: FleetOptions,
  { kind, time, random = Math.random, log, metrics, newInstance = unguessable }: FleetContext,
): Fleet => {
  const topics = topicsOf(prefix, kind, name);
  const discovery =
    homeAssistant === undefined
      ? undefined
      : discoveryOf(homeAssistant, { topics, kind, name, page: () => member?.page });
  const minuteLog = openMinuteLog(log, time);
  let self: Identity = { name, instance: '' };
  let member: Member | undefined;
  /** Messages that came before there was a member. */
  const early: Parameters<Requests>[] = [];
  let request: Requests = (...asked) => {
    if (early.length < MAX_EARLY) early.push(asked);
  };
  /** Commands to the fleet that came before this server knew whether it is the one to answer. */
  const undecided: [message: Message, command: string][] = [];
  /** Devices that have changed, and are not published yet. */
  const pending = new Set<Address>();

  const devices = (): readonly MemberDevice[] => member?.devices() ?? [];
  const deviceOf = (address: Address): MemberDevice | undefined => member?.device(address);

  const status = (is: 'online' | 'offline'): string =>
    JSON.stringify(ServerStatus.encode({ status: is, ...self, version }));
  const announce = (is: 'online' | 'offline'): void =>
    link.publish(topics.server, status(is), { retain: true });

  const owners = openOwners({
    self: () => self,
    topics,
    broker: () => link,
    announce: () => announce('online'),
    isLinked: (address) => deviceOf(address)?.isConnected === true,
    disputed: (address) => publications.repeat(address),
    changed: () => {
      publications.settle();
      if (owners.hasJoined())
        for (const [message, command] of undecided.splice(0)) askFleet(message, command);
    },
    ...{ time, log, minuteLog },
  });

  const publications = openPublications({
    topics,
    broker: () => link,
    devices,
    deviceOf,
    standing: owners.standing,
    discovery,
  });

  const bridge =
    discovery === undefined ? NO_BRIDGE : openBridge({ topics, broker: () => link, devices, discovery });

  const handOver = async (address: Address, to: string): Promise<void> => {
    const given = await member?.roamer?.handOver(address);
    if (given === undefined) return;
    log.info({ address, to }, 'a lost device is handed over');
    link.publish(`${topics.commandsOf(to)}/${TAKE_OVER}`, JSON.stringify(given));
  };

  const roaming = openRoaming({
    ...{ name, topics, owners, time, roams: roam },
    say: (heard) => link.publish(topics.heard, JSON.stringify(heard)),
    handOver: (address, to) => void handOver(address, to),
  });

  /** The owner of a device may depend on whether it has a link. */
  const noticed = (address: Address): void => {
    const device = deviceOf(address);
    owners.linkChanged(address);
    roaming.changed(address, device === undefined ? 'gone' : device.isConnected ? 'linked' : 'lost');
  };

  const publishAll = (): void => {
    // Home Assistant wants to know a server before the devices that it has.
    if (member !== undefined) bridge.introduce();
    for (const { address } of devices()) noticed(address);
    publications.publishAll();
  };

  const publishDue = (): void => {
    const addresses = [...pending];
    pending.clear();
    if (!link.connected) return;
    for (const address of addresses) {
      noticed(address);
      publications.publish(address);
    }
    bridge.update();
  };

  const publishing = paced(time, publishDue);

  const takeOver = (message: Message): void => {
    const given = readPayload(message);
    if (E.isRight(given)) member?.roamer?.takeOver(given.right);
  };

  const askFleet = (message: Message, command: string): void => {
    if (!roaming.isAsked(addressIn(message))) return;
    request(message, {
      command: command === 'connect' ? command : `fleet/${command}`,
      result: topics.fleetResult,
    });
  };

  const requested = (message: Message): void => {
    const [command = '', ...before] = message.topic.split('/').reverse();
    const topic = before.reverse().join('/');
    if (topic === topics.fleetCommands) {
      if (owners.hasJoined()) askFleet(message, command);
      else if (undecided.length < MAX_EARLY) undecided.push([message, command]);
      return;
    }
    if (topic === topics.commands) {
      if (command === TAKE_OVER) takeOver(message);
      else request(message, { command, result: topics.result });
      return;
    }
    const address = topics.commandedIn(topic);
    const device = address === undefined ? undefined : deviceOf(address);
    if (device !== undefined) request(message, { command, identity: device.identity, result: topics.result });
  };

  /** A device that the broker still takes for this server's, as of an earlier connection. */
  const inheritedIn = ({ topic, payload, retained }: Message): Address | undefined => {
    const address = retained ? topics.ownedIn(topic) : undefined;
    const claim = address === undefined ? undefined : readClaim(payload);
    return claim?.name === name && claim.state === 'owned' ? address : undefined;
  };

  const received = (message: Message): void => {
    owners.received(message);
    roaming.received(message);
    const inherited = inheritedIn(message);
    if (inherited !== undefined) publications.inherit(inherited);
    // It was meant for the servers of the time when it came, which may be long ago.
    if (message.retained) return;
    if (message.topic !== discovery?.birth) requested(message);
    else if (message.payload.toString('utf8') === BORN) {
      bridge.introduce();
      publications.introduceAll();
    }
  };

  const link: Broker = openBroker(broker, {
    subscriptions: [
      topics.servers,
      topics.owner(ANY),
      topics.owned,
      topics.hearers,
      `${topics.fleetCommands}/${ANY}`,
      `${topics.commands}/${ANY}`,
      `${topics.deviceCommands(ANY)}/${ANY}`,
      ...(discovery === undefined ? [] : [discovery.birth]),
    ],
    will: () => {
      self = { name, instance: newInstance() };
      return { topic: topics.server, payload: status('offline') };
    },
    opened: () => {
      owners.opened();
      roaming.opened();
      publishAll();
    },
    lost: () => {
      undecided.length = 0;
      owners.lost();
      roaming.lost();
    },
    received,
    dropped: () => metrics.mqttDropped.inc(),
    ...{ time, random, log, minuteLog },
  });
  metrics.beforeRead(() => metrics.mqttConnected.set(link.connected ? 1 : 0));

  return {
    get state() {
      return link.connected ? 'connected' : 'connecting';
    },
    ownership: owners.ownership,
    receivers: (address) => [
      { connection: { send: (text) => link.publish(topics.events(address), text) }, full: true },
    ],
    changed: (address) => {
      pending.add(address);
      publishing.soon();
    },
    forget: publications.forget,
    join: (server) => {
      member = server;
      request = openRequests({ topics, publish: link.publish, ...server });
      for (const asked of early.splice(0)) request(...asked);
      if (server.roamer !== undefined) roaming.listen(server.roamer.listen);
      if (link.connected) publishAll();
    },
    drain: async () => {
      roaming.lost();
      await member?.executor.drain();
    },
    close: async () => {
      publishing.cancel();
      publishDue();
      owners.close();
      announce('offline');
      await link.close();
      minuteLog.close();
    },
  };
};
