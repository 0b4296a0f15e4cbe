/** A server on a broker: its publications, and the commands to it. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Address } from '../ble/ports.js';
import type { Ownership } from '../devices/ownership.js';
import type { Kind } from '../contract/index.js';
import type { Metrics } from '../metrics/metrics.js';
import type { TimeSource } from '../async/time.js';
import { openBroker, type BrokerOptions } from './broker.js';
import { announce, statusOf, type Identity, type Peer } from './claims.js';
import type { Fleet, FleetState, Member } from './fleet.js';
import { Following } from './following.js';
import { discoveryOf, type Discovery } from './home-assistant.js';
import { SharedLabels } from './labels.js';
import { openMinuteLog } from '../system/log.js';
import { Owners } from './owners.js';
import { paced, type Paced } from './paced.js';
import { Publications } from './publications.js';
import { Roaming } from './roaming.js';
import { Router } from './router.js';
import { Taking, type Fitness } from './taking.js';
import { ANY, topicsOf } from '../contract/topics.js';

export interface FleetOptions extends BrokerOptions {
  readonly prefix: string;
  /** The name of this server, different for each server of its kind. */
  readonly name: string;
  /** The prefix of Home Assistant's topics; undefined: devices are not announced to it. */
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
  /** An unguessable id for each connection to the broker. */
  readonly newInstance?: () => string;
  readonly connect?: typeof openBroker;
}

const unguessable = (): string => randomBytes(8).toString('base64url');

/** This server, its identity renewed with each connection. */
type RenewedPeer = Peer & { self: Identity };

type BrokerFleetOptions = Required<Pick<FleetContext, 'kind' | 'random' | 'newInstance'>> & {
  readonly homeAssistant: string | undefined;
  readonly roams: boolean;
};

class BrokerFleet implements Fleet {
  readonly ownership: Ownership;
  private readonly owners: Owners;
  private readonly publications: Publications;
  private readonly roaming: Roaming;
  private readonly taking: Taking;
  private readonly following: Following;
  private readonly labels: SharedLabels;
  private readonly router: Router;
  private readonly discovery: Discovery | undefined;
  private readonly publishing: Paced;
  /** Changed devices that are not published yet. */
  private readonly pending = new Set<Address>();

  constructor(
    private readonly peer: RenewedPeer,
    private readonly options: BrokerFleetOptions,
  ) {
    const { homeAssistant, roams, kind, random } = options;
    const { topics } = peer;
    const member = (): Member | undefined => this.router.member;
    const discovery =
      homeAssistant === undefined
        ? undefined
        : discoveryOf(homeAssistant, {
            ...{ topics, kind, name: peer.self.name, page: () => member()?.page },
          });
    this.discovery = discovery;
    this.owners = new Owners(peer, {
      isLinked: (address) => member()?.device(address)?.isConnected === true,
      joined: () => this.labels.began(),
      disputed: (address) => this.following.repair(address),
      changed: () => this.publications.settle(),
    });
    this.ownership = this.owners.ownership;
    this.publications = new Publications(peer, { member, owners: this.owners, discovery });
    this.roaming = new Roaming(peer, { owners: this.owners, roams });
    this.taking = new Taking(peer, {
      listens: () => this.roaming.listens,
      fitnessFor: (address) => this.fitnessFor(address),
      random,
    });
    this.following = new Following(peer, {
      hasSession: (address) => member()?.device(address) !== undefined,
      roams,
      repeat: (address, isLate) => {
        if (isLate) this.owners.repeat(address);
        this.publications.repeat(address);
      },
      descriptionOf: (address) => discovery?.topic(address),
    });
    this.labels = new SharedLabels(peer, (address) => this.changed(address));
    const { owners, roaming, taking, following, labels, publications } = this;
    this.router = new Router(peer, { owners, roaming, taking, following, labels, publications, discovery });
    this.publishing = paced(peer.time, () => this.publishPending());
  }

  get name(): string {
    return this.peer.self.name;
  }

  get state(): FleetState {
    return this.peer.broker.connected ? 'connected' : 'connecting';
  }

  get inHomeAssistant(): boolean {
    return this.discovery !== undefined;
  }

  start(): void {
    const { peer, owners, following, labels, router } = this;
    const { topics } = peer;
    const { name } = peer.self;
    peer.broker.start({
      subscriptions: () => [
        ...owners.subscriptions(),
        topics.owned,
        topics.taken,
        `${topics.fleetCommands}/${ANY}`,
        `${topics.commands}/${ANY}`,
        ...following.subscriptions(),
        ...labels.watching.begin(),
        ...(this.discovery === undefined ? [] : [this.discovery.birth]),
      ],
      will: () => {
        peer.self = { name, instance: this.options.newInstance() };
        return { topic: topics.server, payload: statusOf(peer.self, 'offline') };
      },
      opened: () => {
        for (const part of [following, owners, this.roaming, labels.watching]) part.opened();
        this.publishAll();
      },
      lost: () => {
        for (const part of [owners, this.roaming, this.taking, following, labels]) part.lost();
      },
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

  readonly forget = (address: Address): void => this.publications.forget(address);

  readonly join = (member: Member): void => {
    this.router.join(member);
    this.labels.join(member.heard);
    if (member.roamer !== undefined) this.roaming.join(member.roamer);
    if (this.peer.broker.connected) this.publishAll();
  };

  readonly drain = async (): Promise<void> => {
    this.roaming.lost();
    await this.router.member?.executor.drain();
  };

  readonly close = async (): Promise<void> => {
    this.publishing.cancel();
    this.publishPending();
    this.owners.close();
    for (const part of [this.roaming, this.taking, this.following, this.labels]) part.lost();
    announce(this.peer, 'offline');
    await this.peer.broker.close();
    this.peer.minuteLog.close();
  };

  private fitnessFor(address: Address | undefined): Fitness {
    if (address === undefined) return { _tag: 'Deaf' };
    if (this.owners.held.has(address)) return { _tag: 'Owner' };
    const isElsewhere = this.owners.elsewhere(address) !== undefined;
    const rssi = isElsewhere ? undefined : this.roaming.signalOf(address);
    return rssi === undefined ? { _tag: 'Deaf' } : { _tag: 'Hearer', rssi };
  }

  /** To be called when a session or a link, which may decide about the owner of a device, may have begun or ended. */
  private notice(address: Address): void {
    const device = this.router.member?.device(address);
    this.following.follow(address);
    this.owners.settle(address);
    this.roaming.changed(address, device === undefined ? 'gone' : device.isConnected ? 'linked' : 'lost');
  }

  private publishAll(): void {
    for (const { address } of this.router.member?.devices() ?? []) this.notice(address);
    this.publications.publishAll();
  }

  private publishPending(): void {
    const addresses = [...this.pending];
    this.pending.clear();
    if (!this.peer.broker.connected) return;
    for (const address of addresses) {
      this.notice(address);
      this.publications.publish(address);
    }
    this.publications.updateServer();
  }
}

export const openFleet = (
  { prefix, name, homeAssistant, roam: roams = false, ...brokerOptions }: FleetOptions,
  {
    kind,
    time,
    log,
    metrics,
    connect = openBroker,
    random = Math.random,
    newInstance = unguessable,
  }: FleetContext,
): Fleet => {
  const minuteLog = openMinuteLog(log, time);
  const dropped = (): void => metrics.mqttDropped.inc();
  const broker = connect(brokerOptions, { dropped, time, random, log, minuteLog });
  const topics = topicsOf(prefix, kind, name);
  const self = { name, instance: '' };
  const fleet = new BrokerFleet(
    { self, topics, broker, time, log, minuteLog },
    { homeAssistant, roams, kind, random, newInstance },
  );
  fleet.start();
  metrics.beforeRead(() => metrics.mqttConnected.set(broker.connected ? 1 : 0));
  return fleet;
};
