/** Removes the retained messages of servers and devices that never come back, with their descriptions for Home Assistant. */
import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { MqttClient } from 'mqtt';
import { wait } from '../async/wait.js';
import type { Address } from '../ble/ports.js';
import { KINDS, type Kind } from '../contract/index.js';
import { topicsOf, type Topics } from '../contract/topics.js';
import { discoveryOf } from './home-assistant.js';
import { openClient, unusable, type ObserverOptions } from './observer.js';

export interface ForgetOptions extends ObserverOptions {
  /** The beginning of Home Assistant's topics. */
  readonly homeAssistant: string;
  /** The time for the broker to send all retained messages, and for a server to answer, ms. */
  readonly listenMs: number;
}

/** A device by its address, or a server by its name. */
export type Forgotten = { readonly device: Address } | { readonly server: string };

/** The retained messages of a device or a server, of one kind of devices. */
interface Traces {
  readonly filters: readonly string[];
  /** Whether a message that a filter names is one of them. */
  readonly has: (topic: string, payload: Buffer) => boolean;
  /** The topics of a server, if this message says that it has the device or is the server itself. */
  readonly userOf: (topic: string) => { readonly name: string; readonly topics: Topics } | undefined;
}

const tracesOf =
  (forgotten: Forgotten, { prefix, homeAssistant }: ForgetOptions) =>
  (kind: Kind): Traces => {
    const name = 'server' in forgotten ? forgotten.server : '';
    const topics = topicsOf(prefix, kind, name);
    const discovery = discoveryOf(homeAssistant, { topics, kind, name });
    const user = (server: string) => ({ name: server, topics: topicsOf(prefix, kind, server) });
    if ('server' in forgotten)
      return {
        filters: [`${topics.server}/#`, discovery.server.topic, ...discovery.all],
        has: (topic, payload) =>
          [topics.server, discovery.server.topic].includes(topic) ||
          topic.startsWith(`${topics.server}/`) ||
          discovery.isOwn(payload),
        userOf: (topic) => (topic === topics.server ? user(name) : undefined),
      };
    const { device } = forgotten;
    const earlier = topics.earlier.topics(device);
    const own = [discovery.topic(device), topics.label(device), ...earlier];
    const isAtServer = (topic: string): boolean => {
      const parts = topic.split('/').slice(-3);
      return parts[0] === 'devices' && parts[1] === device && /^(?:state|availability)$/.test(parts[2] ?? '');
    };
    return {
      filters: [...own, topics.states(device), topics.availabilities(device), ...discovery.all],
      has: (topic) =>
        own.includes(topic) ||
        discovery.isTimeOf(device, topic) ||
        (topics.isOfServers(topic) && isAtServer(topic)),
      userOf: (topic) => {
        const route = topics.routeOf(topic);
        return route?.to === 'availability' ? user(route.server) : undefined;
      },
    };
  };

/**
 * Clears all retained messages of a device or a server. Right: the topics. Left, a message: the broker cannot be used, the server, or
 * one that has the device, answers, or nothing is retained.
 */
export const forget = (
  forgotten: Forgotten,
  options: ForgetOptions,
): TE.TaskEither<string, readonly string[]> => {
  const subject = 'device' in forgotten ? `device ${forgotten.device}` : `server ${forgotten.server}`;
  const { prefix, time, listenMs } = options;
  const traces = KINDS.map(tracesOf(forgotten, options));
  const retained = new Set<string>();
  /** The servers that may have the device or be the server, by the topics of their answers. */
  const users = new Map<string, { readonly name: string; readonly topics: Topics }>();

  /** Resolves after `listenMs`, since no message marks the end of the retained messages. */
  const listen = async (client: MqttClient): Promise<void> => {
    const receive = (topic: string, payload: Buffer): void => {
      const trace = traces.find(({ has }) => has(topic, payload));
      if (trace === undefined || payload.length === 0) return;
      retained.add(topic);
      const user = trace.userOf(topic);
      if (user !== undefined) users.set(user.topics.result, user);
    };
    client.on('message', receive);
    await client.subscribeAsync([...new Set(traces.flatMap(({ filters }) => filters))], { qos: 1 });
    await new Promise<void>((resolve) => time.after(listenMs, resolve));
    client.off('message', receive);
  };

  /** The first of the servers that answers a command; undefined: none does within `listenMs`. */
  const answering = async (client: MqttClient): Promise<string | undefined> => {
    if (users.size === 0) return undefined;
    const id = randomUUID();
    await client.subscribeAsync([...users.keys()], { qos: 1 });
    const answer = wait<string>({ time, ms: listenMs }, (settle) => {
      const receive = (topic: string, payload: Buffer): void => {
        const user = users.get(topic);
        if (user !== undefined && payload.includes(id)) settle(user.name);
      };
      client.on('message', receive);
      return () => client.off('message', receive);
    })();
    for (const { topics } of users.values())
      await client.publishAsync(`${topics.commands}/about`, JSON.stringify({ id }), { qos: 1 });
    const answered = await answer;
    return E.isRight(answered) ? answered.right : undefined;
  };

  const clear = async (client: MqttClient): Promise<E.Either<string, readonly string[]>> => {
    await listen(client);
    const user = await answering(client);
    if (user !== undefined)
      return E.left(
        'device' in forgotten
          ? `${subject} is connected to the server ${user}, which is online: disconnect it there`
          : `${subject} is online: stop it first`,
      );
    if (retained.size === 0) return E.left(`nothing is retained of ${subject} below ${prefix}/`);
    for (const topic of retained) await client.publishAsync(topic, '', { qos: 1, retain: true });
    return E.right([...retained]);
  };

  return pipe(
    openClient(options, 0),
    TE.chain((client) =>
      TE.bracket<string, MqttClient, readonly string[]>(
        TE.right(client),
        () =>
          pipe(
            TE.tryCatch(() => clear(client), unusable(options)),
            TE.chainEitherK((cleared) => cleared),
          ),
        () => TE.fromTask(() => client.endAsync()),
      ),
    ),
  );
};
