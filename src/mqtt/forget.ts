/** Removes the retained messages of servers and devices that never come back, with their descriptions for Home Assistant. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { connectAsync, type MqttClient } from 'mqtt';
import type { TimeSource } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import { KINDS, type Kind } from '../contract/index.js';
import { topicsOf, type Topics } from '../contract/topics.js';
import { messageOf } from '../system/system-error.js';
import { addressOf, CONNECT_MS, credentialsOf, type BrokerOptions } from './broker.js';
import { readClaim, Servers } from './claims.js';
import { discoveryOf } from './home-assistant.js';

export interface ForgetOptions extends BrokerOptions {
  readonly prefix: string;
  /** The beginning of Home Assistant's topics. */
  readonly homeAssistant: string;
  readonly time: TimeSource;
  /** The time for the broker to send all retained messages, ms. */
  readonly listenMs: number;
}

/** A device by its address, or a server by its name. */
export type Forgotten = { readonly device: Address } | { readonly server: string };

/** The retained messages of some topics. */
type Retained = ReadonlyMap<string, Buffer>;

/** The retained messages of a device or a server, for one kind of devices. */
interface Remains {
  readonly topics: readonly string[];
  /** Topics that show whether it is in use. */
  readonly read: readonly string[];
  /** The online server that still uses it. */
  readonly user: (retained: Retained) => string | undefined;
}

const ofDevice = (address: Address, topics: Topics, config: string): Remains => {
  const owner = topics.owner(address);
  return {
    topics: [config, topics.state(address), topics.availability(address), owner],
    read: [topics.servers],
    user: (retained) => {
      const servers = new Servers();
      for (const [topic, payload] of retained) {
        const route = topics.routeOf(topic);
        if (route?.to === 'status') servers.receive(route.server, payload);
      }
      const claim = readClaim(retained.get(owner) ?? Buffer.alloc(0));
      return claim?.state === 'owned' && servers.isValid(claim) ? claim.name : undefined;
    },
  };
};

const ofServer = (name: string, topics: Topics, config: string): Remains => ({
  topics: [config, topics.serverState, topics.owned, topics.server],
  read: [],
  user: (retained) => {
    const servers = new Servers();
    const status = retained.get(topics.server);
    if (status !== undefined) servers.receive(name, status);
    return servers.isOnline(name) ? name : undefined;
  },
});

const remainsOf =
  (forgotten: Forgotten, { prefix, homeAssistant }: ForgetOptions) =>
  (kind: Kind): Remains => {
    const name = 'server' in forgotten ? forgotten.server : '';
    const topics = topicsOf(prefix, kind, name);
    const discovery = discoveryOf(homeAssistant, { topics, kind, name });
    return 'device' in forgotten
      ? ofDevice(forgotten.device, topics, discovery.topic(forgotten.device))
      : ofServer(name, topics, discovery.server.topic);
  };

/** Resolves after `listenMs` with the received messages: no message marks the end of the retained ones. */
const retainedAt = (
  client: MqttClient,
  filters: readonly string[],
  { time, listenMs }: ForgetOptions,
): TE.TaskEither<string, Retained> => {
  const retained = new Map<string, Buffer>();
  client.on('message', (topic, payload) => {
    if (payload.length > 0) retained.set(topic, payload);
  });
  return pipe(
    TE.tryCatch(() => client.subscribeAsync([...new Set(filters)], { qos: 1 }), messageOf),
    TE.chainTaskK(
      () => () =>
        new Promise<Retained>((resolve) => {
          time.after(listenMs, () => resolve(retained));
        }),
    ),
  );
};

/**
 * Clears all retained messages of a device or a server. Right: the topics. Left, a message: the broker cannot be used, an online
 * server has the device or is the server itself, or nothing is retained.
 */
export const forget = (
  forgotten: Forgotten,
  options: ForgetOptions,
): TE.TaskEither<string, readonly string[]> => {
  const what = 'device' in forgotten ? `device ${forgotten.device}` : `server ${forgotten.server}`;
  const unusable = (reason: string): string =>
    `the MQTT broker ${options.url.host} cannot be used: ${reason}`;
  const all = KINDS.map(remainsOf(forgotten, options));

  const clear = (client: MqttClient, retained: Retained): TE.TaskEither<string, readonly string[]> => {
    const user = all.map((remains) => remains.user(retained)).find((name) => name !== undefined);
    if (user !== undefined) {
      return TE.left(
        'device' in forgotten
          ? `${what} is connected to the server ${user}, which is online: disconnect it there`
          : `${what} is online: stop it first`,
      );
    }
    const topics = [...new Set(all.flatMap((remains) => remains.topics))].filter((topic) =>
      retained.has(topic),
    );
    if (topics.length === 0) return TE.left(`nothing is retained of ${what} below ${options.prefix}/`);
    return TE.tryCatch(
      async () => {
        for (const topic of topics) await client.publishAsync(topic, '', { qos: 1, retain: true });
        return topics;
      },
      (error) => unusable(messageOf(error)),
    );
  };

  return pipe(
    TE.tryCatch(
      () =>
        connectAsync(
          addressOf(options),
          { protocolVersion: 4, ...credentialsOf(options), reconnectPeriod: 0, connectTimeout: CONNECT_MS },
          false,
        ),
      (error) => unusable(messageOf(error)),
    ),
    TE.chain((client) => {
      client.on('error', () => undefined);
      const filters = all.flatMap(({ topics, read }) => [...topics, ...read]);
      return TE.bracket<string, MqttClient, readonly string[]>(
        TE.right(client),
        () =>
          pipe(
            retainedAt(client, filters, options),
            TE.mapLeft(unusable),
            TE.chain((retained) => clear(client, retained)),
          ),
        () => TE.fromTask(() => client.endAsync()),
      );
    }),
  );
};
