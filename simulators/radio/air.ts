import { systemClock, type Cancel, type Clock } from '../../src/time.js';
import { AdvertisingEvents } from './advertising-events.js';
import type { AdvertisingSet } from './advertising-set.js';
import { Violations } from './violations.js';
import { Controller, type ControllerOptions, type Host } from './controller.js';
import { Faults, type Named } from './faults.js';
import { Hooks } from './hooks.js';
import { Link } from './link.js';
import { paces, type Pace, type PaceName } from './pace.js';
import type { AdvertisingPdu, DeviceAddress } from './pdu.js';
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

/** Where a device is: how strong others hear it, dBm, null if their adapters cannot tell; and whether at all. */
export interface Place {
  readonly rssi: number | null;
  readonly inRange: boolean;
}

export interface AirOptions extends Partial<AirSettings> {
  readonly clock?: Clock;
  readonly trace?: Trace;
  /** Controllers report what their hosts do wrong. */
  readonly strict?: boolean;
}

/** A link that never came about is given up after this many intervals (Core 5.4 Vol 6 Part B 4.5.2). */
const ESTABLISHMENT_INTERVALS = 6;

/** What an adapter reports that cannot tell how strong a signal is (Core 5.4 Vol 4 Part E 7.5.4 and 7.7.65.2). */
const NO_RSSI = 127;

const HERE = { rssi: -60, inRange: true } satisfies Place;

/** The air between controllers: who hears whom, how well, and how fast. */
export class Air {
  readonly clock: Clock;
  readonly trace: Trace | undefined;
  readonly violations = new Violations();
  /** Where tests and faults get at what passes. */
  readonly hooks = new Hooks();
  readonly faults = new Faults(this);
  /** The time that devices in this air live by. */
  readonly deviceClock: Clock;
  private current: AirSettings;
  private chance: Rng;
  private readonly start: AirSettings;
  readonly strict: boolean;
  private readonly controllers = new Set<Controller>();
  private readonly advertisingEvents: AdvertisingEvents;
  private readonly places = new Map<string, Place>();
  private readonly links = new Set<Link>();
  private posted: (() => void)[] = [];

  constructor({ clock = systemClock, trace, strict = false, ...settings }: AirOptions = {}) {
    this.clock = clock;
    this.trace = trace;
    this.strict = strict;
    this.start = { pace: 'fast', loss: 0, latencyMs: 0, seed: 1, ...settings };
    this.current = this.start;
    this.chance = seededRng(this.start.seed);
    this.advertisingEvents = new AdvertisingEvents(this, this.controllers);
    this.deviceClock = {
      now: () => clock.now(),
      date: () => clock.date(),
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
    return this.advertisingEvents.listened;
  }

  rng(): number {
    return this.chance();
  }

  configure(change: Partial<AirSettings>): void {
    this.current = { ...this.current, ...change };
    if (change.seed !== undefined) this.chance = seededRng(change.seed);
    this.changed();
  }

  /** Settings, places, faults and chance as they were at the start; what faults hold back passes, controllers stay. */
  reset(seed = this.start.seed): void {
    this.places.clear();
    this.faults.clear();
    this.violations.clear();
    this.configure({ ...this.start, seed });
    for (const controller of this.controllers) controller.release();
    for (const link of this.links) link.hurry();
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
    const controller = new Controller(this, this.freeIndex(), { strict: this.strict, ...options }, host);
    this.controllers.add(controller);
    this.trace?.opened(controller.index, controller.address, controller.name);
    return controller;
  }

  /** Takes a controller out of the air, as if it had lost its power. */
  remove(controller: Controller): void {
    controller.power(false);
    this.controllers.delete(controller);
    this.advertisingEvents.forget(controller);
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

  /** How strong others hear a controller, as an adapter reports it: dBm, or 127. */
  rssiOf(controller: Controller): number {
    const { rssi } = this.placeOf(controller.address);
    if (rssi === null) return NO_RSSI;
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
    this.advertisingEvents.strange(pdu, HERE.rssi, isHearer);
  }

  /** Something changed who reaches whom. */
  changed(): void {
    for (const link of this.links) link.check();
  }

  /** A set of a controller began to advertise, for `duration` ms or, if that is 0, until it is stopped. */
  advertising(controller: Controller, set: AdvertisingSet, duration = 0): void {
    this.advertisingEvents.begin(controller, set, duration);
  }

  /** A controller began or ceased to scan or to look for a peer. */
  listening(controller: Controller): void {
    this.advertisingEvents.listening(controller);
  }

  forget(link: Link): void {
    this.links.delete(link);
  }

  /** As Linux does, the least: it has 16 bits in a capture. */
  private freeIndex(): number {
    const taken = new Set([...this.controllers].map(({ index }) => index));
    let index = 0;
    while (taken.has(index)) index += 1;
    return index;
  }

  private run(): void {
    const tasks = this.posted;
    this.posted = [];
    for (const task of tasks) task();
  }

  /** The central's request to connect reaches the peripheral, which advertises as `peer`. */
  establish(central: Controller, peripheral: Controller, set: AdvertisingSet, peer: DeviceAddress): void {
    const { initiating } = central;
    if (initiating === undefined) return;
    const phy = set.connectionPhy;
    const parameters = initiating.parametersOn(phy);
    const meeting = { controller: central, peer: peripheral };
    if (this.hooks.at.connection_request !== undefined && !this.hooks.passes('connection_request', meeting)) {
      this.failToEstablish(central, peer, parameters);
      return;
    }
    const link = new Link(
      this,
      { controller: central, address: initiating.own },
      { controller: peripheral, address: peer },
      parameters,
      phy,
    );
    this.links.add(link);
    peripheral.linkMade(link.peripheral, set);
    central.linkMade(link.central);
    link.begin();
  }

  /** The other side never heard the request: the host is told of a link, and soon that it failed. */
  private failToEstablish(central: Controller, peer: DeviceAddress, parameters: Link['parameters']): void {
    const handle = central.takeHandle();
    central.initiating = undefined;
    this.listening(central);
    const wait = this.current.pace === 'fast' ? 0 : ESTABLISHMENT_INTERVALS * parameters.interval;
    central.linkFails({ handle, role: 'central', peer, link: { parameters } }, wait);
  }
}
