/** A server on a broker: what it says of itself and its devices, and what it is asked. */
import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import type { Address } from '../ble/ports.js';
import { decode, deviceAddress, object } from '../codecs/index.js';
import { ServerStatus, type Kind } from '../contract/index.js';
import type { Metrics } from '../metrics/index.js';
import { version } from '../system/package.js';
import type { TimeSource } from '../async/time.js';
import { NO_BRIDGE, openBridge } from './bridge.js';
import { openBroker, type Broker, type BrokerOptions, type Message } from './broker.js';
import type { Identity } from './claims.js';
import { readPayload } from './envelope.js';
import type { Fleet } from './fleet.js';
import { openFollowing } from './following.js';
import { BORN, discoveryOf } from './home-assistant.js';
import type { Member, MemberDevice } from './member.js';
import { openMinuteLog } from '../system/log.js';
import { openOwners } from './owners.js';
import { paced } from './paced.js';
import { openPublications } from './publications.js';
import { openRequests, type Requests } from './requests.js';
import { openRoaming } from './roaming.js';
import { openTaking } from './taking.js';
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
  readonly connect?: typeof openBroker;
}

/** Commands that wait for the server to start. */
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
  {
    kind,
    time,
    random = Math.random,
    log,
    metrics,
    newInstance = unguessable,
    connect = openBroker,
  }: FleetContext,
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
    disputed: (address) => following.repair(address),
    changed: () => publications.settle(),
    ...{ time, log, minuteLog },
  });

  const publications = openPublications({
    self: () => self,
    topics,
    broker: () => link,
    devices,
    deviceOf,
    standing: owners.standing,
    epochOf: owners.epochOf,
    held: owners.held,
    watch: owners.watch,
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
    ...{ name, topics, owners, time, roams: roam, broker: () => link },
    handOver: (address, to) => detached(handOver(address, to)),
  });

  const taking = openTaking({
    ...{ self: () => self, topics, broker: () => link, listens: roaming.listens, time, random },
    fitnessFor: (address) => {
      if (address === undefined) return { _tag: 'Deaf' };
      if (owners.held.has(address)) return { _tag: 'Owner' };
      const rssi = owners.elsewhere(address) === undefined ? roaming.signalOf(address) : undefined;
      return rssi === undefined ? { _tag: 'Deaf' } : { _tag: 'Hearer', rssi };
    },
  });

  const following = openFollowing({
    ...{ topics, broker: () => link, roams: roam, time },
    hasSession: (address) => deviceOf(address) !== undefined,
    repeat: publications.repeat,
  });

  /** The owner of a device may depend on whether it has a link. */
  const noticed = (address: Address): void => {
    const device = deviceOf(address);
    following.follow(address);
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

  const askFleet = (message: Message, command: string): void =>
    taking.offer(message, addressIn(message), () =>
      request(message, {
        command: command === 'connect' ? command : `fleet/${command}`,
        result: topics.fleetResult,
      }),
    );

  const requested = (message: Message): void => {
    const [command = '', ...before] = message.topic.split('/').reverse();
    const topic = before.reverse().join('/');
    if (topic === topics.fleetCommands) {
      askFleet(message, command);
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

  const received = (message: Message): void => {
    const { topic, payload, retained } = message;
    owners.received(message);
    roaming.received(message);
    if (topic === topics.owned && retained) publications.inherit(payload);
    // It was meant for the servers of the time when it came, which may be long ago.
    if (retained) return;
    taking.received(message);
    following.received(message);
    if (topic !== discovery?.birth) requested(message);
    else if (payload.toString('utf8') === BORN) {
      bridge.introduce();
      publications.introduceAll();
    }
  };

  const link: Broker = connect(broker, {
    subscriptions: () => [
      ...owners.subscriptions(),
      topics.owned,
      topics.taken,
      `${topics.fleetCommands}/${ANY}`,
      `${topics.commands}/${ANY}`,
      ...following.subscriptions(),
      ...(discovery === undefined ? [] : [discovery.birth]),
    ],
    will: () => {
      self = { name, instance: newInstance() };
      return { topic: topics.server, payload: status('offline') };
    },
    opened: () => {
      following.opened();
      owners.opened();
      roaming.opened();
      publishAll();
    },
    lost: () => {
      owners.lost();
      roaming.lost();
      taking.lost();
      following.lost();
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
      for (const part of [roaming, taking, following]) part.lost();
      announce('offline');
      await link.close();
      minuteLog.close();
    },
  };
};
