/** A server on a broker: its publications, and the commands to it. */
import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Address } from '../ble/ports.js';
import type { Kind } from '../contract/index.js';
import { ANY, topicsOf } from '../contract/topics.js';
import type { Metrics } from '../metrics/metrics.js';
import type { TimeSource } from '../async/time.js';
import { openMinuteLog } from '../system/log.js';
import { openBroker, type Message } from './broker.js';
import type { BrokerOptions } from './broker-options.js';
import { Descriptions, type HomeAssistant } from './descriptions.js';
import type { Fleet, FleetState, Member } from './fleet.js';
import { Hearing } from './hearing.js';
import { discoveryOf } from './home-assistant.js';
import { SharedLabels } from './labels.js';
import { announce, readStatus, statusOf, type Peer } from './messages.js';
import { Neighbours } from './neighbours.js';
import { paced, type Paced } from './paced.js';
import { Publications } from './publications.js';
import { Router } from './router.js';

export interface FleetOptions extends BrokerOptions {
  readonly prefix: string;
  /** The name of this server, different for each server of its kind. */
  readonly name: string;
  /** The prefix of Home Assistant's topics; undefined: devices are not announced to it. */
  readonly homeAssistant?: string | undefined;
  /** The area that Home Assistant suggests for new devices. */
  readonly area?: string | undefined;
}

export interface FleetContext {
  readonly kind: Kind;
  readonly time: TimeSource;
  /** 0 up to 1; spreads retries. */
  readonly random?: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** An unguessable id of this run. */
  readonly run?: string;
  readonly connect?: typeof openBroker;
}

/** Letters and digits of a client id that every broker takes (MQTT 3.1.1, 3.1.3.1). */
const CLIENT_ID_LENGTH = 23;

/** The id of a server for its broker, which ends an earlier connection with the same id. */
export const clientIdOf = (...parts: readonly [prefix: string, kind: Kind, name: string]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, CLIENT_ID_LENGTH);

class BrokerFleet implements Fleet {
  readonly linkedNeighbour: Fleet['linkedNeighbour'];
  private readonly publications: Publications;
  private readonly hearing: Hearing;
  private readonly labels: SharedLabels;
  private readonly router: Router;
  private readonly homeAssistant: HomeAssistant | undefined;
  private readonly publishing: Paced;
  /** Changed devices that are not published yet. */
  private readonly pending = new Set<Address>();
  /** Devices whose topics this server listens to on this connection. */
  private readonly followed = new Set<Address>();
  /** Connections in succession at which the status of another run was retained under this name. */
  private foreignRuns = 0;
  private isJoined = false;

  constructor(
    private readonly peer: Peer,
    { kind, homeAssistant, area }: { readonly kind: Kind } & Pick<FleetOptions, 'homeAssistant' | 'area'>,
  ) {
    const { topics, self } = peer;
    const member = (): Member | undefined => this.router.member;
    const describedFor = (prefix: string): HomeAssistant => {
      const discovery = discoveryOf(prefix, {
        topics,
        kind,
        name: self.name,
        area,
        page: () => member()?.page,
      });
      return { discovery, descriptions: new Descriptions(peer, discovery, member) };
    };
    this.homeAssistant = homeAssistant === undefined ? undefined : describedFor(homeAssistant);
    this.publications = new Publications(peer, { member, homeAssistant: this.homeAssistant });
    this.hearing = new Hearing(peer);
    this.labels = new SharedLabels(peer, (address) => this.changed(address));
    const neighbours = new Neighbours(peer);
    this.linkedNeighbour = (address) => neighbours.linkedTo(address);
    const { publications, labels } = this;
    const ownStatus = (message: Message): void => this.receiveOwnStatus(message);
    this.router = new Router(peer, {
      ...{ ownStatus, neighbours, labels, publications, homeAssistant: this.homeAssistant },
    });
    this.publishing = paced(peer.time, () => this.publishPending());
  }

  get name(): string {
    return this.peer.self.name;
  }

  get state(): FleetState {
    return this.peer.broker.connected ? 'connected' : 'connecting';
  }

  get inHomeAssistant(): boolean {
    return this.homeAssistant !== undefined;
  }

  start(): void {
    const { peer, labels, router, homeAssistant } = this;
    const { topics, self } = peer;
    peer.broker.start({
      subscriptions: () => [
        ...[topics.server, topics.devices, topics.earlier.devices, `${topics.commands}/${ANY}`],
        ...this.followAll().flatMap((address) => this.topicsOf(address)),
        ...labels.subscriptions(),
        ...(homeAssistant === undefined ? [] : [homeAssistant.discovery.birth]),
      ],
      will: () => ({ topic: topics.server, payload: statusOf(self, 'offline') }),
      opened: () => {
        announce(peer, 'online');
        this.hearing.opened();
      },
      lost: () => this.lost(),
      received: router.receive,
    });
  }

  readonly receivers: Fleet['receivers'] = (address) => {
    const { broker, topics } = this.peer;
    return [{ connection: { send: (text) => broker.publish(topics.events(address), text) }, full: true }];
  };

  readonly changed = (address: Address): void => {
    this.pending.add(address);
    this.publishing.soon();
  };

  readonly dismiss = (address: Address): void => {
    if (this.router.member?.device(address) !== undefined) this.homeAssistant?.descriptions.dismiss(address);
  };

  readonly join: Fleet['join'] = (member) => {
    this.router.join(member);
    this.labels.join(member.heard);
    this.publications.publishAll();
    return member.listen === undefined ? () => undefined : this.hearing.join(member.listen);
  };

  readonly close = async (): Promise<void> => {
    this.publishing.cancel();
    this.publishPending();
    this.lost();
    announce(this.peer, 'offline');
    await this.peer.broker.close();
    this.peer.minuteLog.close();
  };

  private lost(): void {
    this.isJoined = false;
    for (const part of [this.hearing, this.labels, this.publications]) part.lost();
    this.homeAssistant?.descriptions.lost();
  }

  /**
   * The status comes back from the broker after all retained messages at the beginning of a connection. `offline` is the late last
   * will of an earlier connection. Another run under this name, at two connections in succession, is another server.
   */
  private receiveOwnStatus({ payload, retained }: Message): void {
    const status = readStatus(payload);
    const { peer } = this;
    if (status === undefined) return;
    if (retained) {
      this.foreignRuns = status.run === peer.self.run ? 0 : this.foreignRuns + 1;
      if (this.foreignRuns < 2) return;
      this.foreignRuns = 0;
      peer.broker.giveWay();
    } else if (status.run === peer.self.run && status.status === 'online') this.joined();
    else if (status.status === 'offline') announce(peer, 'online');
  }

  private joined(): void {
    if (this.isJoined) return;
    this.isJoined = true;
    this.labels.joined();
    this.homeAssistant?.descriptions.joined();
    // A session may have begun or ended since `subscriptions`.
    for (const address of [...this.followed, ...this.devices()]) this.follow(address);
    this.publications.joined();
  }

  /** The devices with a session. */
  private devices(): readonly Address[] {
    return this.router.member?.devices().map(({ address }) => address) ?? [];
  }

  /** Follows exactly the devices with a session, for the subscription at the beginning of a connection. */
  private followAll(): readonly Address[] {
    this.followed.clear();
    for (const address of this.devices()) this.followed.add(address);
    return [...this.followed];
  }

  /** The topics of a device that this server listens to while it has the device. */
  private topicsOf(address: Address): readonly string[] {
    const { topics } = this.peer;
    const description = this.homeAssistant?.discovery.topic(address);
    return [`${topics.deviceCommands(address)}/${ANY}`, ...(description === undefined ? [] : [description])];
  }

  /** To be called when the session of a device may have begun or ended. */
  private follow(address: Address): void {
    const { broker } = this.peer;
    const hasSession = this.router.member?.device(address) !== undefined;
    if (!broker.connected || hasSession === this.followed.has(address)) return;
    if (hasSession) {
      this.followed.add(address);
      broker.subscribe(this.topicsOf(address));
    } else {
      this.followed.delete(address);
      for (const topic of this.topicsOf(address)) broker.unsubscribe(topic);
    }
  }

  private publishPending(): void {
    const addresses = [...this.pending];
    this.pending.clear();
    for (const address of addresses) {
      this.follow(address);
      this.publications.publish(address);
    }
    this.publications.updateServer();
  }
}

export const openFleet = (
  { prefix, name, homeAssistant, area, ...brokerOptions }: FleetOptions,
  {
    kind,
    time,
    log,
    metrics,
    connect = openBroker,
    random = Math.random,
    run = randomBytes(8).toString('base64url'),
  }: FleetContext,
): Fleet => {
  const minuteLog = openMinuteLog(log, time);
  const dropped = (): void => metrics.mqttDropped.inc();
  const client = { id: clientIdOf(prefix, kind, name), name };
  const broker = connect({ ...brokerOptions, client }, { dropped, time, random, log, minuteLog });
  const topics = topicsOf(prefix, kind, name);
  const peer: Peer = { self: { name, run }, topics, broker, time, log, minuteLog };
  const fleet = new BrokerFleet(peer, { kind, homeAssistant, area });
  fleet.start();
  metrics.beforeRead(() => metrics.mqttConnected.set(broker.connected ? 1 : 0));
  return fleet;
};
