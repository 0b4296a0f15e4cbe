/** A fleet as one sees it who only looks: servers, devices, owners and signals. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { connectAsync } from 'mqtt';
import type { Address } from '../ble/ports.js';
import type { TimeSource } from '../async/time.js';
import { MOST_HEARERS, MOST_SEEN, setNewest } from './bounded.js';
import { addressOf, CONNECT_MS, credentialsOf, type BrokerOptions } from './broker.js';
import { NOBODY, nextView, ownerIn, viewOf, type DeviceView } from './candidates.js';
import { readClaim, Servers, type Identity } from './claims.js';
import { FORGET_MS, readHeard } from './hearing.js';
import { KINDS } from '../contract/index.js';
import { ANY, topicsOf, type Topics } from '../contract/topics.js';
import { messageOf } from '../system/system-error.js';

export interface FleetReport {
  readonly servers: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
  readonly devices: readonly {
    readonly kind: string;
    readonly address: Address;
    /** Null: none that is online. */
    readonly owner: string | null;
    /** The availability that its owner publishes; `offline` without one. */
    readonly availability: string;
    /** The servers that receive it, dBm; the strongest first. */
    readonly heard: readonly { readonly server: string; readonly rssi: number }[];
  }[];
}

export interface Observer {
  /** What it has heard on the connection that it has, or had last. */
  readonly report: () => FleetReport;
  /** When the connection was made; null: it is lost, and made again. */
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
  readonly heard: Map<string, { readonly rssi: number; readonly at: number }>;
}

/** The devices of one kind. */
class Kind {
  readonly topics: Topics;
  private readonly servers = new Servers();
  private readonly devices = new Map<Address, SeenDevice>();

  constructor(
    readonly kind: string,
    prefix: string,
    private readonly time: TimeSource,
  ) {
    this.topics = topicsOf(prefix, kind, '');
  }

  get filters(): readonly string[] {
    const { servers, hearers, owner, availability } = this.topics;
    return [servers, hearers, owner(ANY), availability(ANY)];
  }

  receive(topic: string, payload: Buffer): void {
    const { serverIn, hearerIn, ownedIn, availableIn } = this.topics;
    const name = serverIn(topic);
    if (name !== undefined) this.servers.receive(name, payload);
    const owned = ownedIn(topic);
    const claim = owned === undefined ? undefined : readClaim(payload);
    if (owned !== undefined && claim !== undefined) {
      const device = this.deviceOf(owned);
      // Servers and owners come in any order at first.
      device.view = device.view === NOBODY ? viewOf(claim) : nextView(device.view, claim, this.validityOf);
    }
    const available = availableIn(topic);
    if (available !== undefined) this.deviceOf(available).availability = payload.toString('utf8');
    const server = hearerIn(topic);
    if (server === undefined) return;
    const at = this.time.now();
    for (const { address, rssi } of readHeard(payload)?.devices ?? [])
      setNewest(this.deviceOf(address).heard, server, { rssi, at }, MOST_HEARERS);
  }

  report(): FleetReport {
    const { kind } = this;
    const from = this.time.now() - FORGET_MS;
    return {
      servers: this.servers.all.map(([name, status]) => ({ kind, name, status })),
      devices: [...this.devices].sort().map(([address, { view, availability, heard }]) => {
        const owner = ownerIn(view, this.validityOf)?.owner?.name ?? null;
        return {
          ...{ kind, address, owner },
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

  private readonly validityOf = (server: Identity) => (this.servers.isValid(server) ? 'valid' : 'void');

  private deviceOf(address: Address): SeenDevice {
    const seen = this.devices.get(address) ?? {
      view: NOBODY,
      availability: 'offline',
      heard: new Map(),
    };
    setNewest(this.devices, address, seen, MOST_SEEN);
    return seen;
  }
}

/** Between two attempts to connect again, ms. */
const RECONNECT_MS = 1_000;

/** Looks at a fleet, and connects again when the broker was lost. Left: why the broker cannot be used, a message. */
export const observe =
  ({ prefix, time, ...broker }: ObserverOptions): TE.TaskEither<string, Observer> =>
  async () => {
    const unknown = (): readonly Kind[] => KINDS.map((kind) => new Kind(kind, prefix, time));
    let kinds = unknown();
    let connectedAt: number | null = time.now();
    try {
      const client = await connectAsync(
        addressOf(broker),
        {
          protocolVersion: 4,
          ...credentialsOf(broker),
          reconnectPeriod: RECONNECT_MS,
          // Retained messages are wanted again, all of them.
          resubscribe: false,
          connectTimeout: CONNECT_MS,
        },
        false,
      );
      client.on('error', () => undefined);
      client.on('message', (topic, payload) => {
        for (const kind of kinds) kind.receive(topic, payload);
      });
      const subscribe = () => client.subscribeAsync(kinds.flatMap(({ filters }) => filters));
      client.on('close', () => {
        connectedAt = null;
      });
      client.on('connect', () => {
        kinds = unknown();
        connectedAt = time.now();
        // If it fails, the connection is lost again.
        void subscribe().catch(() => undefined);
      });
      await subscribe();
      return E.right({
        report: () => {
          const reports = kinds.map((kind) => kind.report());
          return {
            servers: reports.flatMap(({ servers }) => servers),
            devices: reports.flatMap(({ devices }) => devices),
          };
        },
        connectedAt: () => connectedAt,
        close: () => client.endAsync(true),
      });
    } catch (error) {
      return E.left(`the MQTT broker ${broker.url.host} cannot be used: ${messageOf(error)}`);
    }
  };
