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
import { ApiConnection, encryptedServer, plainServer, type MessageTap } from '../esphome/index.js';
import { systemReason } from '../system/system-error.js';
import { openBatches } from './advertisements.js';
import { Client } from './client.js';
import type { Identity } from './identity.js';
import { Slots } from './slots.js';

/** For its radio: ATT gives up a request after 30 s (Core 5.4 Vol 3 Part F 3.3.3), and clients have shorter limits of their own. */
export const LINK_LIMITS = { connect: 20_000, discover: 30_000, gatt: 30_000 };

export interface ProxyOptions {
  /** Stays open when the proxy closes: the caller closes it. */
  readonly radio: NobleRadio;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly name: string;
  readonly mac: string;
  /** How many links it makes at once. */
  readonly slots: number;
  /** The one that receives advertisements if several clients subscribe; the newest unless given. */
  readonly subscriber?: ProxySubscriber;
  /** How many clients may be connected; further connections are closed at once. */
  readonly maxClients?: number;
  /** Connections are encrypted with it; undefined: they are not. */
  readonly key: Uint8Array | undefined;
  /** Puts a simulated network into a connection; undefined: there is none. */
  readonly line?: (socket: Socket) => Duplex;
  /** For the messages of all clients. */
  readonly tap?: MessageTap;
}

export interface Proxy {
  readonly port: number;
  /** Of its API. */
  readonly clients: number;
  /** Devices that have a link, or are about to. */
  readonly devices: readonly Address[];
  readonly freeSlots: number;
  /** Marks this many slots as used by devices of others. */
  readonly reserve: (slots: number) => void;
  /** Whether it passes advertisements on. */
  readonly hear: (hears: boolean) => void;
  /** Whether links stay when their client has gone; those without a client end when they no longer do. */
  readonly keepLinks: (keeps: boolean) => void;
  /** Connections from now on are encrypted with another key. */
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

/** Left: it cannot listen, a message. */
export const startProxy = (options: ProxyOptions): TE.TaskEither<string, Proxy> => {
  const { radio, time, log, name, mac, line = (socket: Socket): Duplex => socket } = options;
  let { key } = options;
  let hears = true;
  let keepsLinks = false;
  const identity = (): Identity => ({ name, mac, encrypted: key !== undefined });
  /** Each connection, with its client once it can send. */
  const clients = new Map<ApiConnection, Client | undefined>();
  /** The client that receives all messages about Bluetooth: ESPHome has one (`bluetooth_proxy.cpp`, `api_connection_`). */
  let subscriber: Client | undefined;
  const slots = new Slots({
    ...{ radio, time, limit: options.slots },
    ended: (address, cause) => subscriber?.linkEnded(address, cause),
    changed: () => subscriber?.tellSlots(),
  });
  const batches = openBatches(time, (batch) => subscriber?.advertisements(batch));
  const stopReports = radio.observeReports((report) => {
    if (subscriber !== undefined && hears) batches.add(report);
  });
  const stopState = radio.onState(() => subscriber?.tellState());

  /** Ends the links of clients that have gone. */
  const releaseUnused = (): void => {
    if (keepsLinks) return;
    const isUsed = (device: Address): boolean => [...clients.values()].some((client) => client?.has(device));
    for (const device of slots.devices) if (!isUsed(device)) slots.disconnect(device);
  };

  /** The adapter scans for a subscriber. */
  let scan: Unsubscribe | undefined;
  const subscribe = (client: Client, wanted: boolean): void => {
    if (wanted && subscriber !== undefined && subscriber !== client) {
      if (options.subscriber === 'first') {
        log.info('another client receives the advertisements of the proxy: a subscription is refused');
        return;
      }
      log.info('a new client receives the advertisements of the proxy, and the earlier one no longer');
    }
    if (wanted) {
      subscriber = client;
      scan ??= radio.listen(() => undefined);
      client.tellState();
    } else if (subscriber === client) {
      subscriber = undefined;
      if (!keepsLinks) detached(slots.release());
      scan?.();
      scan = undefined;
    }
  };

  const accept = (socket: Socket): void => {
    const used = key;
    const connection: ApiConnection = new ApiConnection({
      ...{ socket: line(socket), time, tap: options.tap },
      frame: (user) =>
        used === undefined
          ? plainServer(user)
          : encryptedServer(user, { key: used, name, mac: mac.replaceAll(':', '').toLowerCase() }),
      ready: (opened) =>
        void clients.set(
          opened,
          new Client({
            ...{ connection: opened, identity: identity(), slots, log, subscribe },
            isSubscribed: (client) => client === subscriber,
            state: () => radio.state,
            flush: batches.flush,
          }),
        ),
      message: (message) => clients.get(connection)?.receive(message),
      ended: (end) => {
        log.info({ end, from: socket.remoteAddress }, 'a client of the proxy has gone');
        const client = clients.get(connection);
        clients.delete(connection);
        if (client !== undefined) subscribe(client, false);
        releaseUnused();
      },
    });
    clients.set(connection, undefined);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };

  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, accept);
  server.maxConnections = options.maxClients ?? USUAL_CLIENTS;
  // Others may be refused as often as they like: the log has the first.
  server.once('drop', () =>
    log.warn(`the proxy refuses further connections: it has ${server.maxConnections} clients`),
  );
  return TE.Functor.map(listen(server, options.address, options.port), (port) => ({
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
    hear: (wanted) => void (hears = wanted),
    keepLinks: (keeps) => {
      keepsLinks = keeps;
      releaseUnused();
    },
    useKey: (other) => void (key = other),
    cut: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // The client gets the end of each link first.
      await slots.release();
      for (const connection of clients.keys()) connection.close();
      stopReports();
      stopState();
      scan?.();
      batches.close();
      await closed;
      // A client may have connected a device meanwhile.
      await slots.release();
    },
  }));
};
