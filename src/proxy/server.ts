/** An adapter as a Bluetooth proxy of ESPHome. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import type { NobleRadio } from '../ble/noble/index.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import { USUAL_CLIENTS, type ProxySubscriber } from '../contract/proxies.js';
import { ApiConnection, encryptedServer, plainServer, type MessageTap } from '../protocols/esphome/index.js';
import { systemReason } from '../system/system-error.js';
import { openBatches } from './advertisements.js';
import { Client } from './client.js';
import { Slots } from './slots.js';

/** Limits for the radio of a proxy: ATT gives up a request after 30 s (Core 5.4 Vol 3 Part F 3.3.3), and clients have shorter limits. */
export const LINK_LIMITS = { connect: 20_000, discover: 30_000, gatt: 30_000 };

export interface ProxyOptions {
  /** The caller closes it after the proxy. */
  readonly radio: NobleRadio;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly address: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly name: string;
  readonly mac: string;
  /** The most links at once. */
  readonly slots: number;
  /** The clients that receive advertisements if several subscribe; left out: the newest. */
  readonly subscriber?: ProxySubscriber;
  /** The most clients; further connections are closed at once. */
  readonly maxClients?: number;
  /** The key of encrypted connections; undefined: connections are not encrypted. */
  readonly key: Uint8Array | undefined;
  /** Puts a simulated network into a connection. */
  readonly line?: (socket: Socket) => Duplex;
  /** Gets the messages of all clients. */
  readonly tap?: MessageTap;
}

export interface Proxy {
  readonly port: number;
  /** The number of clients of its API. */
  readonly clients: number;
  /** Devices that have a link, or are about to. */
  readonly devices: readonly Address[];
  readonly freeSlots: number;
  /** Marks this many slots as used, as if by other clients' devices. */
  readonly reserve: (slots: number) => void;
  /** Sets whether it passes advertisements on. */
  readonly hear: (hears: boolean) => void;
  /** Sets whether links stay when their client has gone; false ends links without a client. */
  readonly keepLinks: (keeps: boolean) => void;
  /** Sets the key of new connections. */
  readonly useKey: (key: Uint8Array | undefined) => void;
  /** Resets all connections; their links end. */
  readonly cut: () => void;
  /** Resolves when no client and no link is left. */
  readonly close: Task<void>;
}

const listen = (server: Server, host: string, port: number): TE.TaskEither<string, number> =>
  TE.tryCatch(
    () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          const bound = server.address();
          resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
        });
      }),
    (thrown) => `the proxy cannot listen on ${host}, port ${port}: ${systemReason(thrown)}`,
  );

/** The server of a proxy: its clients, the subscribers among them, and their links. */
class ProxyServer {
  private key: Uint8Array | undefined;
  private hears = true;
  private keepsLinks = false;
  /** Connections, each with its client once the handshake is over. */
  private readonly clients = new Map<ApiConnection, Client | undefined>();
  private readonly sockets = new Set<Socket>();
  /** The clients that receive messages about Bluetooth: ESPHome has only one (`bluetooth_proxy.cpp`, `api_connection_`). */
  private readonly subscribers = new Set<Client>();
  /** Stops the scan for the subscribers. */
  private stopScan: Unsubscribe | undefined;
  private readonly slots: Slots<Client>;
  private readonly batches: ReturnType<typeof openBatches>;
  private readonly observers: readonly Unsubscribe[];
  readonly server: Server;

  constructor(private readonly options: ProxyOptions) {
    const { radio, time, log } = options;
    this.key = options.key;
    this.slots = new Slots({
      ...{ radio, time, limit: options.slots },
      ended: (address, cause) =>
        this.subscribers.forEach((client) => {
          if (this.isOwn(client, address)) client.linkEnded(address, cause);
        }),
      changed: () => this.subscribers.forEach((client) => client.postSlots()),
    });
    this.batches = openBatches(time, (batch) =>
      this.subscribers.forEach((client) => client.advertisements(batch)),
    );
    this.observers = [
      radio.observeReports((report) => {
        if (this.subscribers.size > 0 && this.hears) this.batches.add(report);
      }),
      radio.onState(() => this.subscribers.forEach((client) => client.postState())),
    ];
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
    this.server.maxConnections = options.maxClients ?? USUAL_CLIENTS;
    // Only the first refusal is logged: clients may retry without end.
    this.server.once('drop', () =>
      log.warn(`the proxy refuses further connections: it has ${this.server.maxConnections} clients`),
    );
  }

  listeningOn(port: number): Proxy {
    const { clients, slots, sockets } = this;
    return {
      port,
      get clients() {
        return clients.size;
      },
      get devices() {
        return slots.devices;
      },
      get freeSlots() {
        return slots.free;
      },
      reserve: (taken) => slots.reserve(taken),
      hear: (hears) => void (this.hears = hears),
      keepLinks: (keeps) => {
        this.keepsLinks = keeps;
        this.releaseUnused();
      },
      useKey: (key) => void (this.key = key),
      cut: () => sockets.forEach((socket) => socket.resetAndDestroy()),
      close: () => this.close(),
    };
  }

  /** Ends the links of clients that have gone. */
  private releaseUnused(): void {
    if (this.keepsLinks) return;
    const clients = new Set(this.clients.values());
    detached(this.slots.release((device) => !clients.has(this.slots.owner(device))));
  }

  /** ESPHome's one subscriber has the links of all clients. */
  private isOwn(client: Client, device: Address): boolean {
    return this.options.subscriber !== 'all' || this.slots.owner(device) === client;
  }

  private subscribe(client: Client): void {
    const { radio, log, subscriber } = this.options;
    const { subscribers } = this;
    if (subscriber !== 'all' && subscribers.size > 0 && !subscribers.has(client)) {
      if (subscriber === 'first') {
        log.info('another client receives the advertisements of the proxy: a subscription is refused');
        return;
      }
      log.info('a new client receives the advertisements of the proxy, and the earlier one no longer');
      subscribers.clear();
    }
    subscribers.add(client);
    this.stopScan ??= radio.listen(() => undefined);
    client.postState();
  }

  private unsubscribe(client: Client): void {
    if (!this.subscribers.delete(client)) return;
    if (!this.keepsLinks) detached(this.slots.release((device) => this.isOwn(client, device)));
    if (this.subscribers.size > 0) return;
    this.stopScan?.();
    this.stopScan = undefined;
  }

  private clientOf(connection: ApiConnection): Client {
    const { name, mac, log, radio } = this.options;
    return new Client({
      ...{ connection, slots: this.slots, log, flush: this.batches.flush },
      identity: { name, mac, encrypted: this.key !== undefined },
      state: () => radio.state,
      isSubscribed: (client) => this.subscribers.has(client),
      isOwn: (client, device) => this.isOwn(client, device),
      subscribe: (client, begins) => (begins ? this.subscribe(client) : this.unsubscribe(client)),
    });
  }

  private accept(socket: Socket): void {
    const { name, mac, time, tap, log, line } = this.options;
    const { key } = this;
    const connection: ApiConnection = new ApiConnection({
      ...{ socket: line === undefined ? socket : line(socket), time, tap },
      frame: (user) =>
        key === undefined
          ? plainServer(user)
          : encryptedServer(user, { key, name, mac: mac.replaceAll(':', '').toLowerCase() }),
      ready: (opened) => void this.clients.set(opened, this.clientOf(opened)),
      message: (message) => this.clients.get(connection)?.receive(message),
      ended: (end) => {
        log.info({ end, from: socket.remoteAddress }, 'a client of the proxy has gone');
        const client = this.clients.get(connection);
        this.clients.delete(connection);
        if (client !== undefined) this.unsubscribe(client);
        this.releaseUnused();
      },
    });
    this.clients.set(connection, undefined);
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }

  private async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // The client receives the end of each link before its connection ends.
    await this.slots.release();
    for (const connection of this.clients.keys()) connection.close();
    this.observers.forEach((stop) => stop());
    this.stopScan?.();
    this.batches.close();
    await closed;
    // A client may have connected a device meanwhile.
    await this.slots.release();
  }
}

/** Left: a message that says why it cannot listen. */
export const startProxy = (options: ProxyOptions): TE.TaskEither<string, Proxy> => {
  const proxy = new ProxyServer(options);
  return TE.Functor.map(listen(proxy.server, options.address, options.port), (port) =>
    proxy.listeningOn(port),
  );
};
