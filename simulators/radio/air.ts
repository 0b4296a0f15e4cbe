import { systemClock, type Cancel, type Clock } from '../../src/time.js';
import { Status } from '../../src/ble/hci/status.js';
import { Controller, type ControllerOptions, type Host } from './controller.js';
import { Faults, type Named } from './faults.js';
import { Hooks } from './hooks.js';
import { Link, type LinkEnd } from './link.js';
import { paces, type Pace, type PaceName } from './pace.js';
import {
  isConnectable,
  isDirected,
  isScannable,
  sameAddress,
  type AdvertisingPdu,
  type DeviceAddress,
} from './pdu.js';
import { seededRng, type Rng } from './rng.js';
import type { Trace } from './trace.js';

export interface AirSettings {
  readonly pace: PaceName;
  /** Chance that a packet on the air is lost, 0 to 1. */
  readonly loss: number;
  /** Milliseconds that a packet on a link takes beside the pace. */
  readonly latencyMs: number;
  readonly seed: number;
}

/** Where a device is: how strong others hear it, dBm, and whether at all. */
export interface Place {
  readonly rssi: number;
  readonly inRange: boolean;
}

export interface AirOptions extends Partial<AirSettings> {
  readonly clock?: Clock;
  readonly trace?: Trace;
  /** Hosts that overrun their buffers are told so. */
  readonly strict?: boolean;
}

/** High duty cycle directed advertising gives up after this long (Core 5.4 Vol 6 Part B 4.4.2.4.3). */
const HIGH_DUTY_MS = 1280;
const ADVERTISING_TIMEOUT = 0x3c;

/** A link that never came about is given up after this many intervals (Core 5.4 Vol 6 Part B 4.5.2). */
const ESTABLISHMENT_INTERVALS = 6;

const HERE: Place = { rssi: -60, inRange: true };

/** The air between controllers: who hears whom, how well, and how fast. */
export class Air {
  readonly clock: Clock;
  readonly trace: Trace | undefined;
  /** Where tests and faults get at what passes. */
  readonly hooks = new Hooks();
  readonly faults = new Faults(this);
  /** The time that devices in this air live by. */
  readonly deviceClock: Clock;
  private current: AirSettings;
  private chance: Rng;
  private readonly start: AirSettings;
  private readonly strict: boolean;
  private readonly controllers = new Set<Controller>();
  private readonly listeners = new Set<Controller>();
  private readonly places = new Map<string, Place>();
  private readonly links = new Set<Link>();
  private attached = 0;
  private posted: (() => void)[] = [];

  constructor({ clock = systemClock, trace, strict = false, ...settings }: AirOptions = {}) {
    this.clock = clock;
    this.trace = trace;
    this.strict = strict;
    this.start = { pace: 'fast', loss: 0, latencyMs: 0, seed: 1, ...settings };
    this.current = this.start;
    this.chance = seededRng(this.start.seed);
    this.deviceClock = {
      now: () => clock.now(),
      after: (ms, task) => clock.after(ms / this.pace.haste, task),
    };
  }

  get settings(): AirSettings {
    return this.current;
  }

  get pace(): Pace {
    return paces[this.current.pace];
  }

  /** How many links there are. */
  get linkCount(): number {
    return this.links.size;
  }

  /** Whether anybody listens: otherwise nothing that is advertised is heard. */
  get listened(): boolean {
    return this.listeners.size > 0;
  }

  rng(): number {
    return this.chance();
  }

  configure(change: Partial<AirSettings>): void {
    this.current = { ...this.current, ...change };
    if (change.seed !== undefined) this.chance = seededRng(change.seed);
    this.changed();
  }

  /** Settings, places, faults and chance as they were at the start; controllers stay. */
  reset(seed = this.start.seed): void {
    this.places.clear();
    this.faults.clear();
    this.configure({ ...this.start, seed });
  }

  placeOf(address: string): Place {
    return this.places.get(address) ?? HERE;
  }

  place(address: string, change: Partial<Place>): void {
    this.places.set(address, { ...this.placeOf(address), ...change });
    this.changed();
  }

  /** Puts a controller into the air, powered; `host` hears what it says. */
  add(options: ControllerOptions, host: Host): Controller {
    const controller = new Controller(this, this.attached++, { strict: this.strict, ...options }, host);
    this.controllers.add(controller);
    this.trace?.opened(controller.index, controller.address, controller.name);
    return controller;
  }

  /** Takes a controller out of the air, as if it had lost its power. */
  remove(controller: Controller): void {
    controller.power(false);
    this.controllers.delete(controller);
    this.listeners.delete(controller);
    this.trace?.closed(controller.index);
  }

  /** Runs `task` soon, in order; what is called within it comes after everything posted before. */
  post(task: () => void): Cancel {
    let wanted = true;
    if (this.posted.length === 0) setImmediate(() => this.run());
    this.posted.push(() => {
      if (wanted) task();
    });
    return () => {
      wanted = false;
    };
  }

  reaches(a: Controller, b: Controller): boolean {
    return (
      a.powered &&
      b.powered &&
      this.placeOf(a.address).inRange &&
      this.placeOf(b.address).inRange &&
      (this.hooks.at.reach === undefined || this.hooks.passes('reach', { controller: a, peer: b }))
    );
  }

  /** How strong others hear a controller, dBm. */
  rssiOf(controller: Controller): number {
    const { rssi } = this.placeOf(controller.address);
    if (this.hooks.at.rssi === undefined) return rssi;
    const heard = { controller, rssi };
    this.hooks.passes('rssi', heard);
    return heard.rssi;
  }

  /** Whether a packet between the two is lost on the air. */
  loses(a: Controller, b: Controller): boolean {
    const { loss } = this.current;
    if (loss > 0 && this.chance() < loss) return true;
    return (
      this.hooks.at.transmission !== undefined &&
      !this.hooks.passes('transmission', { controller: a, peer: b })
    );
  }

  controllersOf(isMeant: (controller: Named) => boolean): readonly Controller[] {
    return [...this.controllers].filter(isMeant);
  }

  /** The links with such a controller at either end. */
  linksOf(isMeant: (controller: Named) => boolean): readonly Link[] {
    return [...this.links].filter(
      ({ central, peripheral }) => isMeant(central.controller) || isMeant(peripheral.controller),
    );
  }

  /** An advertisement of nobody who is in this air, to those who scan. */
  strange(pdu: AdvertisingPdu, isHearer: (controller: Named) => boolean): void {
    for (const receiver of this.listeners) {
      if (receiver.scanner.enabled && isHearer(receiver)) receiver.hear(pdu, HERE.rssi);
    }
  }

  /** Something changed who reaches whom. */
  changed(): void {
    for (const link of this.links) link.check();
  }

  /** A controller began to advertise. */
  advertising(controller: Controller): void {
    const { advertiser } = controller;
    advertiser.deadline?.();
    if (advertiser.parameters.type === 'directedHighDuty') {
      advertiser.deadline = this.clock.after(HIGH_DUTY_MS, () => {
        advertiser.stop();
        controller.connectionComplete(ADVERTISING_TIMEOUT);
      });
    }
    this.scheduleAdvertising(controller, this.pace.atOnce);
  }

  /** A controller began or ceased to scan or to look for a peer. */
  listening(controller: Controller): void {
    const listens = controller.scanner.enabled || controller.initiating !== undefined;
    if (!listens) {
      this.listeners.delete(controller);
      return;
    }
    this.listeners.add(controller);
    const advertisers = [...this.controllers].filter((other) => other.advertiser.enabledAs !== undefined);
    if (this.pace.atOnce) {
      this.post(() => advertisers.forEach((advertiser) => this.transmit(advertiser, [controller])));
    }
    for (const advertiser of advertisers) {
      if (advertiser.advertiser.nextEvent === undefined) this.scheduleAdvertising(advertiser, false);
    }
  }

  forget(link: Link): void {
    this.links.delete(link);
  }

  private run(): void {
    const tasks = this.posted;
    this.posted = [];
    for (const task of tasks) task();
  }

  /** Advertising events come for as long as anybody listens; without a listener nothing runs. */
  private scheduleAdvertising(controller: Controller, now: boolean): void {
    const { advertiser } = controller;
    advertiser.nextEvent?.();
    advertiser.nextEvent = undefined;
    if (this.listeners.size === 0 || advertiser.enabledAs === undefined) return;
    const event = (): void => {
      advertiser.nextEvent = undefined;
      this.transmit(controller, [...this.listeners]);
      this.scheduleAdvertising(controller, false);
    };
    advertiser.nextEvent = now
      ? this.post(event)
      : this.clock.after(this.pace.advertising(advertiser.parameters.interval, this.chance()), event);
  }

  /** One advertising event, as `receivers` hear it. */
  private transmit(controller: Controller, receivers: readonly Controller[]): void {
    const { advertiser } = controller;
    const rssi = this.rssiOf(controller);
    for (const receiver of receivers) {
      const from = advertiser.enabledAs;
      if (from === undefined) return;
      if (receiver === controller || !this.reaches(controller, receiver) || this.loses(controller, receiver))
        continue;
      const { type, target } = advertiser.parameters;
      const own = receiver.initiating?.own ?? receiver.ownAddress(false);
      if (isDirected(type) && (own === undefined || !sameAddress(own, target))) continue;
      const pdu = this.arrives(controller, receiver, advertiser.pdu(from));
      if (pdu === undefined) continue;
      if (receiver.scanner.enabled) {
        receiver.hear(pdu, rssi);
        if (receiver.scanner.active && isScannable(type) && !this.loses(controller, receiver)) {
          const response = { ...pdu, response: true, data: advertiser.scanResponse };
          const heard = this.arrives(controller, receiver, response);
          if (heard !== undefined) receiver.hear(heard, rssi);
        }
      }
      const { initiating } = receiver;
      if (initiating !== undefined && isConnectable(type) && sameAddress(initiating.peer, from)) {
        this.establish(receiver, initiating.own, controller, from);
      }
    }
  }

  /** An advertising packet as it is heard, if no hook stops it. */
  private arrives(controller: Controller, peer: Controller, pdu: AdvertisingPdu): AdvertisingPdu | undefined {
    if (this.hooks.at.advertising === undefined) return pdu;
    const passing = { controller, peer, payload: pdu.data };
    return this.hooks.passes('advertising', passing) ? { ...pdu, data: passing.payload } : undefined;
  }

  private establish(
    central: Controller,
    own: DeviceAddress,
    peripheral: Controller,
    peer: DeviceAddress,
  ): void {
    const parameters = central.initiating?.parameters;
    if (parameters === undefined) return;
    const meeting = { controller: central, peer: peripheral };
    if (this.hooks.at.connection_request !== undefined && !this.hooks.passes('connection_request', meeting)) {
      this.failToEstablish(central, peer, parameters);
      return;
    }
    const link = new Link(
      this,
      { controller: central, address: own },
      { controller: peripheral, address: peer },
      parameters,
    );
    this.links.add(link);
    peripheral.linkMade(link.peripheral);
    central.linkMade(link.central);
  }

  /** The other side never heard the request: the host is told of a link, and soon that it failed. */
  private failToEstablish(central: Controller, peer: DeviceAddress, parameters: Link['parameters']): void {
    const handle = central.takeHandle();
    central.initiating = undefined;
    this.listening(central);
    central.connectionComplete(Status.success, { handle, role: 'central', peer, link: { parameters } });
    const wait = this.current.pace === 'fast' ? 0 : ESTABLISHMENT_INTERVALS * parameters.interval;
    const fail = central.unlessReset(() => central.disconnectionComplete(handle, Status.failedToEstablish));
    this.clock.after(wait, fail);
  }
}

export type { LinkEnd };
