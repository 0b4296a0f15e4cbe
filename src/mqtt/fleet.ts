/** A server on a broker: what it says of itself and its devices, and what it is asked. */
import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import { ALONE, type Ownership } from '../ble/ownership.js';
import type { Address } from '../ble/ports.js';
import { anyObject, decode, deviceAddress, object, parseJson } from '../codecs/index.js';
import type { MQTT_STATES } from '../contract/index.js';
import { errorReply, internalError, type Receiver, type ServerError } from '../http/index.js';
import type { Metrics } from '../metrics/index.js';
import { version } from '../package.js';
import type { Clock } from '../time.js';
import { openBroker, type Broker, type BrokerOptions, type Message } from './broker.js';
import type { Identity } from './claims.js';
import type { Member, MemberDevice } from './member.js';
import type { Payload } from './operations.js';
import { openOwners } from './owners.js';
import { openRoaming } from './roaming.js';
import { ANY, topicsOf } from './topics.js';

export type FleetState = (typeof MQTT_STATES)[number];

export interface Fleet {
  readonly state: FleetState;
  readonly ownership: Ownership;
  /** Who gets the events of a device. */
  readonly receivers: (address: Address) => readonly Receiver[];
  /** To be called whenever what is known of a device may have changed, and when its session begins or ends. */
  readonly changed: (address: Address) => void;
  /** Serves `member` from now on. */
  readonly join: (member: Member) => void;
  /** Says that the server is offline, and ends the connection. */
  readonly close: Task<void>;
}

export interface FleetOptions extends BrokerOptions {
  readonly prefix: string;
  /** Of this server, another one for each server of its kind. */
  readonly name: string;
  /** Hands a lost device over to a server that hears it better. */
  readonly roam?: boolean;
}

export interface FleetContext {
  readonly kind: 'dice' | 'clock';
  readonly clock: Clock;
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
  join: () => undefined,
  close: () => Promise.resolve(),
};

const RETAINED = { retain: true };

/** What a server tells another to which it hands a device over. */
const TAKE_OVER = 'take_over';

/** The address in the payload of a command, if it has one. */
const addressIn = (message: Message): Address | undefined =>
  pipe(
    readPayload(message),
    E.chainW(decode(object({ address: deviceAddress }), 'the payload')),
    E.match(
      () => undefined,
      ({ address }) => address,
    ),
  );

const unguessable = (): string => randomBytes(8).toString('base64url');

const readPayload = ({ payload }: Message): E.Either<ServerError, Payload> =>
  payload.length === 0
    ? E.right({})
    : pipe(parseJson(payload.toString('utf8'), 'the payload'), E.chain(decode(anyObject, 'the payload')));

export const openFleet = (
  { prefix, name, roam = false, ...broker }: FleetOptions,
  { kind, clock, log, metrics, newInstance = unguessable }: FleetContext,
): Fleet => {
  const topics = topicsOf(prefix, kind, name);
  let self: Identity = { name, instance: '' };
  const stopping = new AbortController();
  let member: Member | undefined;
  /** What is retained, by topic. */
  const retained = new Map<string, string>();
  let due: Set<Address> | undefined;

  const deviceOf = (address: Address): MemberDevice | undefined =>
    member?.devices().find((device) => device.address === address);

  const retain = (topic: string, payload: string): void => {
    if (retained.get(topic) === payload) return;
    retained.set(topic, payload);
    link.publish(topic, payload, RETAINED);
  };

  const publishState = (address: Address): void => {
    const device = deviceOf(address);
    owners.changed(address);
    roaming.changed(address, device === undefined ? 'gone' : device.isConnected ? 'linked' : 'lost');
    if (device === undefined && owners.elsewhere(address) !== undefined) {
      // What is retained is of its owner now.
      retained.delete(topics.state(address));
      retained.delete(topics.availability(address));
    }
    if (device === undefined && !retained.has(topics.state(address))) return;
    retain(topics.state(address), device === undefined ? '' : JSON.stringify(device.state));
    retain(topics.availability(address), device?.isConnected === true ? 'online' : 'offline');
  };

  const publishAll = (): void => {
    for (const { address } of member?.devices() ?? []) publishState(address);
  };

  /** Publishes once for all that changes at the same time. */
  const changed = (address: Address): void => {
    if (due !== undefined) {
      due.add(address);
      return;
    }
    due = new Set([address]);
    setImmediate(() => {
      const addresses = due ?? [];
      due = undefined;
      if (link.connected) for (const one of addresses) publishState(one);
    });
  };

  const answer = (
    message: Message,
    command: string,
    outcome: E.Either<ServerError, Json>,
    id: unknown,
    result: string,
  ): void => {
    const said = E.isRight(outcome)
      ? { command, result: outcome.right }
      : { command, ...errorReply(outcome.left).body };
    const payload = JSON.stringify(id === undefined ? said : { id, ...said });
    if (message.reply === undefined) link.publish(result, payload);
    else link.publish(message.reply.topic, payload, { correlation: message.reply.correlation });
  };

  const perform = async (command: string, payload: Payload): Promise<E.Either<ServerError, Json>> => {
    const operation = member?.operations[command];
    if (operation === undefined) return E.left({ _tag: 'UnknownRoute', path: command });
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

  const execute = async (
    message: Message,
    command: string,
    identity: Payload,
    result = topics.result,
  ): Promise<void> => {
    const payload = readPayload(message);
    const outcome = E.isLeft(payload) ? payload : await perform(command, { ...payload.right, ...identity });
    answer(message, command, outcome, E.isRight(payload) ? payload.right['id'] : undefined, result);
  };

  const received = (message: Message): void => {
    owners.received(message);
    roaming.received(message);
    if (message.retained) return;
    const [command = '', ...before] = message.topic.split('/').reverse();
    const topic = before.reverse().join('/');
    if (topic === topics.fleetCommands) {
      if (roaming.isAsked(addressIn(message)))
        void execute(message, command === 'connect' ? command : `fleet/${command}`, {}, topics.fleetResult);
      return;
    }
    if (topic === topics.commands && command === TAKE_OVER) {
      const given = readPayload(message);
      if (E.isRight(given)) member?.roamer?.takeOver(given.right);
      return;
    }
    if (topic === topics.commands) {
      void execute(message, command, {});
      return;
    }
    const device = member?.devices().find(({ address }) => topics.deviceCommands(address) === topic);
    if (device !== undefined) void execute(message, command, device.identity);
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

  const handOver = async (address: Address, to: string): Promise<void> => {
    const given = await member?.roamer?.handOver(address);
    if (given === undefined) return;
    log.info({ address, to }, 'a lost device is handed over');
    link.publish(`${topics.commandsOf(to)}/${TAKE_OVER}`, JSON.stringify(given));
  };

  const roaming = openRoaming({
    ...{ name, topics, owners, clock, roams: roam },
    say: (heard) => link.publish(topics.heard, JSON.stringify(heard)),
    handOver: (address, to) => void handOver(address, to),
  });

  const link: Broker = openBroker(broker, {
    subscriptions: [
      topics.servers,
      topics.owner(ANY),
      topics.hearers,
      `${topics.fleetCommands}/${ANY}`,
      `${topics.commands}/${ANY}`,
      `${topics.deviceCommands(ANY)}/${ANY}`,
    ],
    will: () => {
      self = { name, instance: newInstance() };
      return { topic: topics.server, payload: status('offline') };
    },
    opened: () => {
      retained.clear();
      owners.opened();
      roaming.opened();
      publishAll();
    },
    lost: () => {
      owners.lost();
      roaming.lost();
    },
    received,
    dropped: () => metrics.mqttDropped.inc(),
    clock,
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
    join: (server) => {
      member = server;
      if (server.roamer !== undefined) roaming.listen(server.roamer.listen);
      if (link.connected) publishAll();
    },
    close: async () => {
      stopping.abort();
      owners.close();
      roaming.lost();
      link.publish(topics.server, status('offline'), RETAINED);
      await link.close();
    },
  };
};
