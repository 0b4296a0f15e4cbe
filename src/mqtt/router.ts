/** Passes each message of the broker to a part of the server by its topic. */
import { detached } from '../async/defects.js';
import type { Address } from '../ble/ports.js';
import type { Route } from '../contract/topics.js';
import type { Message } from './broker.js';
import type { HomeAssistant } from './descriptions.js';
import type { Member } from './fleet.js';
import { BORN } from './home-assistant.js';
import type { SharedLabels } from './labels.js';
import type { Peer } from './messages.js';
import type { Neighbours } from './neighbours.js';
import type { Publications } from './publications.js';
import { Requests, type Request } from './requests.js';

/** Commands that wait for the server to start, and commands that wait for neighbours. */
const MOST_WAITING = 256;

export interface RouterParts {
  /** Takes this server's own status. */
  readonly ownStatus: (message: Message) => void;
  readonly neighbours: Neighbours;
  readonly labels: SharedLabels;
  readonly publications: Publications;
  readonly homeAssistant: HomeAssistant | undefined;
}

export class Router {
  /** Undefined before the device server has joined. */
  member: Member | undefined;
  private requests: Requests | undefined;
  /** Commands that came before the device server joined. */
  private readonly early: (readonly [message: Message, request: Request])[] = [];
  /** The number of commands that wait for neighbours. */
  private waiting = 0;

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
    const { neighbours, labels, publications, ownStatus } = this.parts;
    const { self, topics } = this.peer;
    const { payload, retained } = message;
    const route = topics.routeOf(message.topic);
    const isOwn = route !== undefined && 'server' in route && route.server === self.name;
    switch (route?.to) {
      case 'status':
        if (isOwn) ownStatus(message);
        else neighbours.receivedStatus(route.server, message);
        break;
      case 'availability':
        neighbours.received(route.server, route.address, message);
        break;
      case 'devices':
        if (isOwn && retained) publications.inherit(payload);
        break;
      case 'earlier devices':
        if (isOwn && retained) publications.inheritEarlier(payload);
        break;
      case 'label':
        labels.received(route.address, message);
        break;
      case 'server command':
      case 'device command':
        // A retained command was meant for an earlier run.
        if (!retained) this.receiveCommand(message, route);
        break;
      case 'hearer':
        break;
      case undefined:
        this.receiveFromHomeAssistant(message);
    }
  };

  private receiveCommand(message: Message, route: Extract<Route, { readonly command: string }>): void {
    const { command } = route;
    if (route.to === 'server command') {
      this.request(message, { command });
      return;
    }
    const { address } = route;
    const device = this.member?.device(address);
    if (device === undefined) return;
    const request = { command, identity: device.identity };
    const isFirst = !this.parts.neighbours.isAsking(address);
    if ((device.isLinked && isFirst) || this.waiting >= MOST_WAITING) this.request(message, request);
    else detached(this.requestUnlessElsewhere(message, request, address));
  }

  /** Leaves a command for a device without a link to another server that has a link to it. */
  private async requestUnlessElsewhere(message: Message, request: Request, address: Address): Promise<void> {
    this.waiting += 1;
    const neighbour = await this.parts.neighbours.linkedTo(address)();
    this.waiting -= 1;
    if (neighbour === undefined || this.member?.device(address)?.isLinked === true)
      this.request(message, request);
  }

  /** A device's description, or the message that Home Assistant has started, which needs all descriptions again. */
  private receiveFromHomeAssistant(message: Message): void {
    const { homeAssistant, publications } = this.parts;
    if (homeAssistant === undefined) return;
    const { topic, payload, retained } = message;
    const { discovery, descriptions } = homeAssistant;
    const address = discovery.addressIn(topic);
    if (address !== undefined) descriptions.received(address, message);
    else if (topic === discovery.birth && !retained && payload.toString('utf8') === BORN)
      publications.introduceAll();
  }

  private request(message: Message, request: Request): void {
    if (this.requests !== undefined) this.requests.execute(message, request);
    else if (this.early.length < MOST_WAITING) this.early.push([message, request]);
  }
}
