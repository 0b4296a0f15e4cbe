/** Passes each message of the broker to a part of the server by its topic. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Address } from '../ble/ports.js';
import { decode, deviceAddress, object } from '../codecs/index.js';
import type { Route } from '../contract/topics.js';
import type { Message } from './broker.js';
import type { Peer } from './claims.js';
import type { Member } from './fleet.js';
import type { Following } from './following.js';
import { BORN, type Discovery } from './home-assistant.js';
import type { SharedLabels } from './labels.js';
import type { Owners } from './owners.js';
import type { Publications } from './publications.js';
import { readPayload, Requests, type Request } from './requests.js';
import { TAKE_OVER, type Roaming } from './roaming.js';
import type { Taking } from './taking.js';

/** Commands that wait for the server to start. */
const MAX_EARLY = 256;

type CommandRoute = Extract<Route, { readonly command: string }>;

/** Routes whose retained messages count; those of other routes were meant for earlier servers. */
const LASTING: ReadonlySet<Route['to']> = new Set([
  ...(['echo', 'asked', 'status', 'owner', 'owned', 'label', 'heard'] as const),
]);

export interface RouterParts {
  readonly owners: Owners;
  readonly roaming: Roaming;
  readonly taking: Taking;
  readonly following: Following;
  readonly labels: SharedLabels;
  readonly publications: Publications;
  readonly discovery: Discovery | undefined;
}

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

export class Router {
  /** Undefined before the device server has joined. */
  member: Member | undefined;
  private requests: Requests | undefined;
  /** Commands that came before the device server joined. */
  private readonly early: (readonly [message: Message, request: Request])[] = [];

  constructor(
    private readonly peer: Peer,
    private readonly parts: RouterParts,
  ) {}

  join(member: Member): void {
    this.member = member;
    this.requests = new Requests(this.peer, member);
    for (const [message, request] of this.early.splice(0)) this.requests.execute(message, request);
  }

  readonly receive = (message: Message): void => {
    const { owners, roaming, taking, following, labels, publications } = this.parts;
    const route = this.peer.topics.routeOf(message.topic);
    if (message.retained && route !== undefined && !LASTING.has(route.to)) return;
    switch (route?.to) {
      case 'echo':
        owners.echoed(message);
        labels.watching.echoed(message.payload);
        break;
      case 'asked':
        owners.asked();
        break;
      case 'status':
        owners.receiveStatus(route.server, message);
        break;
      case 'owner':
        owners.receiveClaim(route.address, message);
        break;
      case 'owned':
        if (message.retained) publications.inherit(message.payload);
        break;
      case 'label':
        labels.received(route.address, message);
        break;
      case 'heard':
        roaming.received(route.address, message);
        break;
      case 'taken':
        taking.received(message);
        break;
      case 'state':
      case 'availability':
        following.repair(route.address);
        break;
      case 'fleet command':
      case 'server command':
      case 'device command':
        this.receiveCommand(message, route);
        break;
      case 'hearer':
        break;
      case undefined:
        this.receiveFromHomeAssistant(message);
    }
  };

  private receiveCommand(message: Message, route: CommandRoute): void {
    const { roaming, taking } = this.parts;
    const { result, fleetResult } = this.peer.topics;
    const { command } = route;
    if (route.to === 'fleet command') {
      const name = command === 'connect' ? command : `fleet/${command}`;
      const task = (): void => this.request(message, { command: name, result: fleetResult });
      taking.offer(message, addressIn(message), task);
    } else if (route.to === 'device command') {
      const identity = this.member?.device(route.address)?.identity;
      if (identity !== undefined) this.request(message, { command, identity, result });
    } else if (command === TAKE_OVER) roaming.takeOver(message);
    else this.request(message, { command, result });
  }

  /** A message about a device's description, or that Home Assistant has started, which needs all descriptions again. */
  private receiveFromHomeAssistant({ topic, payload, retained }: Message): void {
    const { discovery, following, publications } = this.parts;
    const text = payload.toString('utf8');
    if (retained) {
      publications.supersede(topic, text);
      return;
    }
    following.receiveDescription(topic);
    if (topic !== discovery?.birth || text !== BORN) return;
    publications.introduceServer();
    publications.introduceDevices();
  }

  private request(message: Message, request: Request): void {
    if (this.requests !== undefined) this.requests.execute(message, request);
    else if (this.early.length < MAX_EARLY) this.early.push([message, request]);
  }
}
