/** A fleet as a mere observer sees it: servers, devices, owners and signals. */
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { connectAsync, type MqttClient } from 'mqtt';
import { setNewest } from '../async/newest.js';
import type { Address } from '../ble/ports.js';
import type { TimeSource } from '../async/time.js';
import { MOST_HEARERS, MOST_SEEN } from './bounded.js';
import { accessOf, addressOf, CONNECT_MS, type BrokerOptions } from './broker.js';
import { NOBODY, nextView, ownerIn, viewOf, type DeviceView } from './candidates.js';
import { readClaim, readLabel, Servers, type Identity } from './claims.js';
import { FORGET_MS, readHeard } from './hearing.js';
import { KINDS } from '../contract/index.js';
import { ANY, topicsOf, type Topics } from '../contract/topics.js';
import { messageOf } from '../system/system-error.js';

export interface FleetReport {
  readonly servers: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
  readonly devices: readonly {
    readonly kind: string;
    readonly address: Address;
    /** The name that people gave it; null: none. */
    readonly label: string | null;
    /** Null: no online server owns the device. */
    readonly owner: string | null;
    /** The availability that the owner publishes; `offline` without an owner. */
    readonly availability: string;
    /** The servers that receive the device, with its signal in dBm; the strongest first. */
    readonly heard: readonly { readonly server: string; readonly rssi: number }[];
  }[];
}

export interface Observer {
  /** The fleet by the messages of the current connection, or of the last one. */
  readonly report: () => FleetReport;
  /** The beginning of the connection; null: the connection is lost, and the observer connects again. */
  readonly connectedAt: () => number | null;
  readonly close: Task<void>;
}

export interface ObserverOptions extends BrokerOptions {
  readonly prefix: string;
  readonly time: TimeSource;
}

interface SeenDevice {
  view: DeviceView;
  availability: string;
  label: string | null;
  readonly heard: Map<string, { readonly rssi: number; readonly at: number }>;
}

/** The servers and devices of one kind, by the messages that were received. */
export class SeenKind {
  readonly topics: Topics;
  private readonly servers: Servers;
  private readonly devices = new Map<Address, SeenDevice>();

  constructor(
    readonly kind: string,
    prefix: string,
    private readonly time: TimeSource,
    /** Servers that are remembered however many others there are. */
    isKept?: (server: string) => boolean,
  ) {
    this.topics = topicsOf(prefix, kind, '');
    this.servers = new Servers(isKept);
  }

  get filters(): readonly string[] {
    const { servers, hearers, owner, availability, label } = this.topics;
    return [servers, hearers, ...[owner, availability, label].map((topicOf) => topicOf(ANY))];
  }

  receive(topic: string, payload: Buffer): void {
    const route = this.topics.routeOf(topic);
    if (route?.to === 'status') this.servers.receive(route.server, payload);
    else if (route?.to === 'owner') this.receiveClaim(route.address, payload);
    else if (route?.to === 'availability')
      this.deviceOf(route.address).availability = payload.toString('utf8');
    else if (route?.to === 'label') this.receiveLabel(route.address, payload);
    else if (route?.to === 'hearer') {
      const at = this.time.now();
      for (const { address, rssi } of readHeard(payload)?.devices ?? [])
        setNewest(this.deviceOf(address).heard, route.server, { rssi, at }, MOST_HEARERS);
    }
  }

  report(): FleetReport {
    const { kind } = this;
    const from = this.time.now() - FORGET_MS;
    return {
      servers: this.servers.all.map(([name, status]) => ({ kind, name, status })),
      devices: [...this.devices].sort().map(([address, { view, availability, label, heard }]) => {
        const owner = ownerIn(view, this.validityOf)?.owner?.name ?? null;
        return {
          ...{ kind, address, label, owner },
          // A server that was killed leaves `online`.
          availability: owner === null ? 'offline' : availability,
          heard: [...heard]
            .filter(([, { at }]) => at >= from)
            .map(([server, { rssi }]) => ({ server, rssi }))
            .sort((a, b) => b.rssi - a.rssi || (a.server < b.server ? -1 : 1)),
        };
      }),
    };
  }

  private receiveClaim(address: Address, payload: Buffer): void {
    const claim = readClaim(payload);
    if (claim === undefined) return;
    const device = this.deviceOf(address);
    // At first, servers and owners arrive in any order.
    device.view = device.view === NOBODY ? viewOf(claim) : nextView(device.view, claim, this.validityOf);
  }

  private receiveLabel(address: Address, payload: Buffer): void {
    const label = readLabel(payload)?.label ?? null;
    if (label !== null || this.devices.has(address)) this.deviceOf(address).label = label;
  }

  private readonly validityOf = (server: Identity) => (this.servers.isValid(server) ? 'valid' : 'void');

  private deviceOf(address: Address): SeenDevice {
    const device = this.devices.get(address) ?? {
      view: NOBODY,
      ...{ availability: 'offline', label: null },
      heard: new Map(),
    };
    setNewest(this.devices, address, device, MOST_SEEN);
    return device;
  }
}

const RECONNECT_MS = 1_000;

/** The message about a broker that cannot be used. */
export const unusable =
  ({ url }: BrokerOptions) =>
  (error: unknown): string =>
    `the MQTT broker ${url.host} cannot be used: ${messageOf(error)}`;

/** A client that only observes; with a `reconnectPeriod` other than 0 it connects again after that time, ms. */
export const openClient = (
  broker: BrokerOptions,
  reconnectPeriod: number,
): TE.TaskEither<string, MqttClient> =>
  TE.tryCatch(async () => {
    const options = { reconnectPeriod, resubscribe: false, connectTimeout: CONNECT_MS };
    const client = await connectAsync(
      addressOf(broker),
      { protocolVersion: 4, ...accessOf(broker), ...options },
      false,
    );
    return client.on('error', () => undefined);
  }, unusable(broker));

/** Observes a fleet, and connects again when the connection is lost. Left, a message: the broker cannot be used. */
export const observe = ({ prefix, time, ...broker }: ObserverOptions): TE.TaskEither<string, Observer> => {
  const newKinds = (): readonly SeenKind[] => KINDS.map((kind) => new SeenKind(kind, prefix, time));
  let kinds = newKinds();
  let connectedAt: number | null = time.now();

  const watch = async (client: MqttClient): Promise<Observer> => {
    client.on('message', (topic, payload) => {
      for (const kind of kinds) kind.receive(topic, payload);
    });
    // Each subscription brings all retained messages again.
    const subscribe = () => client.subscribeAsync(kinds.flatMap(({ filters }) => filters));
    client.on('close', () => {
      connectedAt = null;
    });
    client.on('connect', () => {
      kinds = newKinds();
      connectedAt = time.now();
      // A failure means that the connection is lost again.
      void subscribe().catch(() => undefined);
    });
    await subscribe();
    return {
      report: () => {
        const reports = kinds.map((kind) => kind.report());
        return {
          servers: reports.flatMap(({ servers }) => servers),
          devices: reports.flatMap(({ devices }) => devices),
        };
      },
      connectedAt: () => connectedAt,
      close: () => client.endAsync(true),
    };
  };

  return pipe(
    openClient(broker, RECONNECT_MS),
    TE.chain((client) => TE.tryCatch(() => watch(client), unusable(broker))),
  );
};
