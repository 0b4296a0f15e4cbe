/** The servers on a broker as an observer sees them, with their devices and signals. */
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { connectAsync, type MqttClient } from 'mqtt';
import { setNewest } from '../async/newest.js';
import type { Address } from '../ble/ports.js';
import type { TimeSource } from '../async/time.js';
import { MOST_HEARERS, MOST_SEEN, MOST_SERVERS } from './bounded.js';
import { accessOf, addressOf, CONNECT_MS, type BrokerOptions } from './broker-options.js';
import { FORGET_MS } from './hearing.js';
import { readHeard, readLabel, readStatus } from './messages.js';
import { KINDS } from '../contract/index.js';
import { ANY, topicsOf, type Topics } from '../contract/topics.js';
import { messageOf } from '../system/system-error.js';

export interface FleetReport {
  readonly servers: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
  /** A device that two servers have is there twice. */
  readonly devices: readonly {
    readonly kind: string;
    readonly address: Address;
    /** The name that people gave it; null: none. */
    readonly label: string | null;
    /** The server that has it; null: no server that is online has it. */
    readonly server: string | null;
    /** Whether that server can reach it; `offline` without a server. */
    readonly availability: string;
    /** The servers that receive the device, with its signal in dBm; the strongest first. */
    readonly heard: readonly { readonly server: string; readonly rssi: number }[];
  }[];
  /** Whether no server and no device was left out, since there are too many. */
  readonly fits: boolean;
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
  /** Whether each server that has it can reach it. */
  readonly availabilities: Map<string, string>;
  label: string | null;
  readonly heard: Map<string, { readonly rssi: number; readonly at: number }>;
}

/** The servers and devices of one kind, by the messages that were received. */
export class SeenKind {
  readonly topics: Topics;
  private readonly servers = new Map<string, string>();
  private readonly devices = new Map<Address, SeenDevice>();
  private fits = true;

  constructor(
    readonly kind: string,
    prefix: string,
    private readonly time: TimeSource,
  ) {
    this.topics = topicsOf(prefix, kind, '');
  }

  get filters(): readonly string[] {
    const { serverOf, hearers, availabilities, label } = this.topics;
    return [serverOf(ANY), hearers, availabilities(ANY), label(ANY)];
  }

  receive(topic: string, payload: Buffer): void {
    const route = this.topics.routeOf(topic);
    if (route?.to === 'status') this.receiveStatus(route.server, payload);
    else if (route?.to === 'availability') this.receiveAvailability(route.server, route.address, payload);
    else if (route?.to === 'label') this.receiveLabel(route.address, payload);
    else if (route?.to === 'hearer') {
      const at = this.time.now();
      for (const { address, rssi } of readHeard(payload)?.devices ?? [])
        setNewest(this.deviceOf(address).heard, route.server, { rssi, at }, MOST_HEARERS);
    }
  }

  report(): FleetReport {
    const { kind, fits } = this;
    const from = this.time.now() - FORGET_MS;
    const devices = [...this.devices].sort().flatMap(([address, seen]): FleetReport['devices'] => {
      const { availabilities, label, heard } = seen;
      const hearers = [...heard]
        .filter(([, { at }]) => at >= from)
        .map(([server, { rssi }]) => ({ server, rssi }))
        .sort((a, b) => b.rssi - a.rssi || (a.server < b.server ? -1 : 1));
      const device = { kind, address, label, heard: hearers };
      const present = [...availabilities].filter(([server]) => this.servers.get(server) === 'online').sort();
      return present.length === 0
        ? [{ ...device, server: null, availability: 'offline' }]
        : present.map(([server, availability]) => ({ ...device, server, availability }));
    });
    return {
      servers: [...this.servers].sort().map(([name, status]) => ({ kind, name, status })),
      ...{ devices, fits },
    };
  }

  private receiveStatus(server: string, payload: Buffer): void {
    const status = readStatus(payload)?.status;
    if (status === undefined) return;
    if (this.servers.size === MOST_SERVERS && !this.servers.has(server)) this.fits = false;
    setNewest(this.servers, server, status, MOST_SERVERS);
  }

  private receiveAvailability(server: string, address: Address, payload: Buffer): void {
    if (payload.length === 0) this.devices.get(address)?.availabilities.delete(server);
    else setNewest(this.deviceOf(address).availabilities, server, payload.toString('utf8'), MOST_HEARERS);
  }

  private receiveLabel(address: Address, payload: Buffer): void {
    const label = readLabel(payload)?.label ?? null;
    if (label !== null || this.devices.has(address)) this.deviceOf(address).label = label;
  }

  private deviceOf(address: Address): SeenDevice {
    const device = this.devices.get(address) ?? {
      ...{ availabilities: new Map(), label: null },
      heard: new Map(),
    };
    if (this.devices.size === MOST_SEEN && !this.devices.has(address)) this.fits = false;
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
          fits: reports.every(({ fits }) => fits),
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
