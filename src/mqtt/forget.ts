/** Removes the retained messages of servers and devices that never come back, with their descriptions for Home Assistant. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { MqttClient } from 'mqtt';
import type { Address } from '../ble/ports.js';
import { KINDS, type Kind } from '../contract/index.js';
import { topicsOf } from '../contract/topics.js';
import { discoveryOf } from './home-assistant.js';
import { openClient, SeenKind, unusable, type ObserverOptions } from './observer.js';

export interface ForgetOptions extends ObserverOptions {
  /** The beginning of Home Assistant's topics. */
  readonly homeAssistant: string;
  /** The time for the broker to send all retained messages, ms. */
  readonly listenMs: number;
}

/** A device by its address, or a server by its name. */
export type Forgotten = { readonly device: Address } | { readonly server: string };

/** The retained topics of a device or a server. */
interface Traces {
  readonly filters: readonly string[];
  /** Whether a topic that a filter names is one of them. */
  readonly has: (topic: string) => boolean;
}

/** The traces of a device or a server as one kind of devices. */
const tracesOf =
  (forgotten: Forgotten, { prefix, homeAssistant }: ForgetOptions) =>
  (kind: Kind): Traces => {
    const name = 'server' in forgotten ? forgotten.server : '';
    const topics = topicsOf(prefix, kind, name);
    const discovery = discoveryOf(homeAssistant, { topics, kind, name });
    if ('server' in forgotten) {
      const filters = [discovery.server.topic, topics.serverState, topics.owned, topics.server];
      return { filters, has: (topic) => filters.includes(topic) };
    }
    const { device } = forgotten;
    const filters = [
      ...[discovery.topic(device), topics.state(device), topics.availability(device)],
      ...[topics.owner(device), topics.label(device)],
    ];
    return {
      filters: [...filters, discovery.times.filter],
      has: (topic) => filters.includes(topic) || discovery.times.isOf(device, topic),
    };
  };

/** The online server that still has the device, or is the server itself. */
const userOf = (forgotten: Forgotten, kind: SeenKind): string | undefined => {
  const { servers, devices } = kind.report();
  return 'device' in forgotten
    ? (devices.find(({ address }) => address === forgotten.device)?.owner ?? undefined)
    : servers.find(({ name, status }) => name === forgotten.server && status === 'online')?.name;
};

/**
 * Clears all retained messages of a device or a server. Right: the topics. Left, a message: the broker cannot be used, an online
 * server has the device or is the server itself, or nothing is retained.
 */
export const forget = (
  forgotten: Forgotten,
  options: ForgetOptions,
): TE.TaskEither<string, readonly string[]> => {
  const subject = 'device' in forgotten ? `device ${forgotten.device}` : `server ${forgotten.server}`;
  const { prefix, time, listenMs } = options;
  const isKept = (server: string): boolean => 'server' in forgotten && server === forgotten.server;
  const kinds = KINDS.map((kind) => new SeenKind(kind, prefix, time, isKept));
  const traces = KINDS.map(tracesOf(forgotten, options));
  const retained = new Set<string>();

  /** Resolves after `listenMs`, since no message marks the end of the retained messages. */
  const listen = async (client: MqttClient): Promise<void> => {
    client.on('message', (topic, payload) => {
      if (payload.length > 0) retained.add(topic);
      for (const kind of kinds) kind.receive(topic, payload);
    });
    const filters = new Set([
      ...traces.flatMap((trace) => trace.filters),
      ...kinds.map((kind) => kind.topics.servers),
    ]);
    await client.subscribeAsync([...filters], { qos: 1 });
    await new Promise<void>((resolve) => time.after(listenMs, resolve));
  };

  const clear = (client: MqttClient): TE.TaskEither<string, readonly string[]> => {
    const user = kinds.map((kind) => userOf(forgotten, kind)).find((name) => name !== undefined);
    if (user !== undefined)
      return TE.left(
        'device' in forgotten
          ? `${subject} is connected to the server ${user}, which is online: disconnect it there`
          : `${subject} is online: stop it first`,
      );
    const cleared = [...retained].filter((topic) => traces.some((trace) => trace.has(topic)));
    if (cleared.length === 0) return TE.left(`nothing is retained of ${subject} below ${prefix}/`);
    return TE.tryCatch(async () => {
      for (const topic of cleared) await client.publishAsync(topic, '', { qos: 1, retain: true });
      return cleared;
    }, unusable(options));
  };

  return pipe(
    openClient(options, 0),
    TE.chain((client) =>
      TE.bracket<string, MqttClient, readonly string[]>(
        TE.right(client),
        () =>
          pipe(
            TE.tryCatch(() => listen(client), unusable(options)),
            TE.chain(() => clear(client)),
          ),
        () => TE.fromTask(() => client.endAsync()),
      ),
    ),
  );
};
