/** A server on a broker: what it says of itself and its devices, and what it is asked. */
import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import { ALONE, type Ownership } from '../ble/ownership.js';
import type { Address } from '../ble/ports.js';
import { anyObject, decode, parseError, parseJson } from '../codecs/index.js';
import type { MQTT_STATES } from '../contract/index.js';
import { errorReply, internalError, shuttingDown, type Receiver, type ServerError } from '../http/index.js';
import type { Metrics } from '../metrics/index.js';
import { version } from '../package.js';
import type { Clock } from '../time.js';
import { openBroker, type Broker, type BrokerOptions, type Message } from './broker.js';
import type { Identity } from './claims.js';
import { BORN, discoveryOf } from './home-assistant.js';
import type { Member, MemberDevice } from './member.js';
import type { Payload } from './operations.js';
import { openOwners } from './owners.js';
import { ANY, topicsOf } from './topics.js';

export type FleetState = (typeof MQTT_STATES)[number];

export interface Fleet {
  readonly state: FleetState;
  readonly ownership: Ownership;
  /** Who gets the events of a device. */
  readonly receivers: (address: Address) => readonly Receiver[];
  /** To be called whenever what is known of a device may have changed, and when its session begins or ends. */
  readonly changed: (address: Address) => void;
  /** To be called when a client has ended a session: Home Assistant has no use for the device any more. */
  readonly forget: (address: Address) => void;
  /** Serves `member` from now on. */
  readonly join: (member: Member) => void;
  /** Gives up what waits, refuses what comes, and resolves when all commands are answered. */
  readonly drain: Task<void>;
  /** Says that the server is offline, and ends the connection. */
  readonly close: Task<void>;
}

export interface FleetOptions extends BrokerOptions {
  readonly prefix: string;
  /** Of this server, another one for each server of its kind. */
  readonly name: string;
  /** What the topics of Home Assistant begin with; undefined: it is told nothing. */
  readonly homeAssistant?: string | undefined;
}

export interface FleetContext {
  readonly kind: 'dice' | 'clock';
  readonly clock: Clock;
  /** 0 up to 1; spreads retries. */
  readonly random?: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Unguessable and never the same again: of each connection to the broker. */
  readonly newInstance?: () => string;
}

/** A server by itself. */
export const NO_FLEET: Fleet = {
  state: 'off',
  ownership: ALONE,
  receivers: () => [],
  changed: () => undefined,
  forget: () => undefined,
  join: () => undefined,
  drain: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const RETAINED = { retain: true };

const unguessable = (): string => randomBytes(8).toString('base64url');

/** Commands under way for one server. */
const MAX_PENDING = 256;
/** Bytes of a payload. */
const MAX_PAYLOAD = 64 * 1024;

const tooMany: ServerError = {
  _tag: 'TooManyRequests',
  message: `too many commands at once: a server may have ${MAX_PENDING} under way over MQTT`,
  retryAfterSecs: 1,
};

const readPayload = ({ payload }: Message): E.Either<ServerError, Payload> => {
  if (payload.length === 0) return E.right({});
  if (payload.length > MAX_PAYLOAD) return E.left({ _tag: 'BodyTooLarge', limit: MAX_PAYLOAD });
  return pipe(parseJson(payload.toString('utf8'), 'the payload'), E.chain(decode(anyObject, 'the payload')));
};

export const openFleet = (
  { prefix, name, homeAssistant, ...broker }: FleetOptions,
  { kind, clock, random = Math.random, log, metrics, newInstance = unguessable }: FleetContext,
): Fleet => {
  const topics = topicsOf(prefix, kind, name);
  let self: Identity = { name, instance: '' };
  const discovery = homeAssistant === undefined ? undefined : discoveryOf(homeAssistant, topics);
  /** Devices that clients let go while there was no connection. */
  const forgotten = new Set<Address>();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let member: Member | undefined;
  /** What is retained, by topic. */
  const retained = new Map<string, string>();
  /** Devices of which a state may be retained. */
  const told = new Set<Address>();
  let due: Set<Address> | undefined;

  const deviceOf = (address: Address): MemberDevice | undefined =>
    member?.devices().find((device) => device.address === address);

  const retain = (topic: string, payload: string): void => {
    if (retained.get(topic) === payload) return;
    retained.set(topic, payload);
    link.publish(topic, payload, RETAINED);
  };

  /** Tells Home Assistant of a device. */
  const introduce = ({ address, homeAssistant: applianceOf }: MemberDevice): void => {
    if (discovery === undefined) return;
    forgotten.delete(address);
    retain(discovery.topic(address), discovery.payload(address, applianceOf));
  };

  const publishState = (address: Address): void => {
    const device = deviceOf(address);
    owners.changed(address);
    if (device === undefined) {
      const wasTold = told.delete(address);
      // What is retained of a device that went elsewhere is of its owner.
      if (!wasTold || owners.elsewhere(address) !== undefined) {
        retained.delete(topics.state(address));
        retained.delete(topics.availability(address));
        if (discovery !== undefined) retained.delete(discovery.topic(address));
        return;
      }
    } else {
      told.add(address);
      introduce(device);
    }
    retain(topics.state(address), device === undefined ? '' : JSON.stringify(device.state));
    retain(topics.availability(address), device?.isConnected === true ? 'online' : 'offline');
  };

  /** Of devices that went while there was no connection too. */
  const publishAll = (): void => {
    const present = (member?.devices() ?? []).map(({ address }) => address);
    for (const address of new Set([...present, ...told])) publishState(address);
  };

  const publishDue = (): void => {
    const addresses = due ?? [];
    due = undefined;
    if (link.connected) for (const address of addresses) publishState(address);
  };

  const forget = (address: Address): void => {
    if (discovery === undefined || deviceOf(address) !== undefined) return;
    if (link.connected) retain(discovery.topic(address), '');
    else forgotten.add(address);
  };

  const forgetAll = (): void => {
    for (const address of forgotten) forget(address);
    forgotten.clear();
  };

  /** Tells Home Assistant all anew, which has just started. */
  const introduceAll = (): void => {
    for (const device of member?.devices() ?? []) {
      if (discovery !== undefined) retained.delete(discovery.topic(device.address));
      introduce(device);
    }
  };

  /** Publishes once for all that changes at the same time. */
  const changed = (address: Address): void => {
    if (due !== undefined) {
      due.add(address);
      return;
    }
    due = new Set([address]);
    setImmediate(publishDue);
  };

  const answer = (
    message: Message,
    command: string,
    outcome: E.Either<ServerError, Json>,
    id: unknown,
  ): void => {
    const result = E.isRight(outcome)
      ? { command, result: outcome.right }
      : { command, ...errorReply(outcome.left).body };
    const payload = JSON.stringify(id === undefined ? result : { id, ...result });
    if (message.reply === undefined) link.publish(topics.result, payload);
    else link.publish(message.reply.topic, payload, { correlation: message.reply.correlation });
  };

  const perform = async (command: string, payload: Payload): Promise<E.Either<ServerError, Json>> => {
    if (stopping.signal.aborted) return E.left(shuttingDown);
    if (running.size >= MAX_PENDING) return E.left(tooMany);
    const operations = new Map(Object.entries(member?.operations ?? {}));
    const operation = operations.get(command);
    if (operation === undefined) {
      const names = [...operations.keys()].join(', ');
      return E.left(parseError(`the command must be one of ${names}, got ${JSON.stringify(command)}`));
    }
    const run = operation(payload);
    if (E.isLeft(run)) return run;
    try {
      return pipe(
        await run.right(stopping.signal)(),
        E.map((result) => (Buffer.isBuffer(result) ? result.toString('base64') : result)),
      );
    } catch (defect) {
      log.error({ err: defect, command }, 'a command of MQTT failed');
      return E.left(internalError);
    }
  };

  const execute = async (message: Message, command: string, identity: Payload): Promise<void> => {
    const payload = readPayload(message);
    const outcome = E.isLeft(payload) ? payload : await perform(command, { ...payload.right, ...identity });
    answer(message, command, outcome, E.isRight(payload) ? payload.right['id'] : undefined);
  };

  const begin = (message: Message, command: string, identity: Payload): void => {
    const work = execute(message, command, identity);
    running.add(work);
    void work.finally(() => running.delete(work));
  };

  const received = (message: Message): void => {
    owners.received(message);
    // It was meant for whoever was there when it came, which may be long ago.
    if (message.retained) return;
    if (message.topic === discovery?.birth) {
      if (message.payload.toString('utf8') === BORN) introduceAll();
      return;
    }
    const [command = '', ...before] = message.topic.split('/').reverse();
    const topic = before.reverse().join('/');
    if (topic === topics.commands) {
      begin(message, command, {});
      return;
    }
    const device = member?.devices().find(({ address }) => topics.deviceCommands(address) === topic);
    if (device !== undefined) begin(message, command, device.identity);
  };

  const status = (is: 'online' | 'offline'): string => JSON.stringify({ status: is, ...self, version });

  const owners = openOwners({
    self: () => self,
    topics,
    broker: () => link,
    announce: () => link.publish(topics.server, status('online'), RETAINED),
    isLinked: (address) => deviceOf(address)?.isConnected === true,
    clock,
    log,
  });

  const link: Broker = openBroker(broker, {
    subscriptions: [
      topics.servers,
      topics.owner(ANY),
      `${topics.commands}/${ANY}`,
      `${topics.deviceCommands(ANY)}/${ANY}`,
      ...(discovery === undefined ? [] : [discovery.birth]),
    ],
    will: () => {
      self = { name, instance: newInstance() };
      return { topic: topics.server, payload: status('offline') };
    },
    opened: () => {
      retained.clear();
      owners.opened();
      publishAll();
      forgetAll();
    },
    lost: owners.lost,
    received,
    dropped: () => metrics.mqttDropped.inc(),
    clock,
    random,
    log,
  });
  metrics.beforeRead(() => metrics.mqttConnected.set(link.connected ? 1 : 0));

  return {
    get state() {
      return link.connected ? 'connected' : 'connecting';
    },
    ownership: owners.ownership,
    receivers: (address) => [
      { connection: { send: (event) => link.publish(topics.events(address), event) }, full: true },
    ],
    changed,
    forget,
    join: (server) => {
      member = server;
      if (link.connected) publishAll();
    },
    drain: async () => {
      stopping.abort();
      await Promise.all(running);
    },
    close: async () => {
      publishDue();
      owners.close();
      link.publish(topics.server, status('offline'), RETAINED);
      await link.close();
    },
  };
};
