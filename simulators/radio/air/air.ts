import { systemTime, type TimeSource } from '../../../src/async/time.js';
import { AdvertisingEvents } from './advertising-events.js';
import { Controller, type ControllerOptions, type Host } from '../controller/controller.js';
import { Faults } from '../faults/faults.js';
import type { FaultyProxy } from '../faults/faulty-proxy.js';
import type { Named } from '../medium/hooks.js';
import type { ConnectionRequest } from './connection-request.js';
import { Link } from '../connections/link.js';
import { DEFAULT_RECEPTION, Medium, type AirSettings, type Reception } from '../medium/medium.js';
import type { AdvertisingPdu } from '../medium/pdu.js';
import type { Trace } from '../medium/trace.js';
import { Violations } from '../conformance/violations.js';

export interface AirOptions extends Partial<AirSettings> {
  readonly time?: TimeSource;
  readonly trace?: Trace;
  /** Controllers report violations of the specification by their hosts. */
  readonly strict?: boolean;
}

/** The least unused number, from 0 on, as Linux numbers adapters. */
const leastFree = (used: ReadonlyMap<number, unknown>): number => {
  let number = 0;
  while (used.has(number)) number += 1;
  return number;
};

/** A connection that was never established is given up after this many intervals (Core 5.4 Vol 6 Part B 4.5.2). */
const ESTABLISHMENT_INTERVALS = 6;

/** All controllers, the links between them, and the medium that they share. */
export class Air extends Medium {
  readonly violations = new Violations();
  readonly faults = new Faults(this);
  /** The Bluetooth proxies in this air. */
  readonly proxies = new Set<FaultyProxy>();
  /** The clock of the devices in this air. */
  readonly deviceClock: TimeSource;
  readonly strict: boolean;
  /** Controllers by their index in captures. */
  private readonly controllers = new Map<number, Controller>();
  readonly advertisingEvents = new AdvertisingEvents(this, this.controllers, (request) =>
    this.connect(request),
  );
  private readonly links = new Set<Link>();

  constructor({ time = systemTime, trace, strict = false, ...settings }: AirOptions = {}) {
    super(time, trace, { pace: 'fast', loss: 0, latencyMs: 0, seed: 1, ...settings });
    this.strict = strict;
    this.deviceClock = {
      now: () => time.now(),
      date: () => time.date(),
      after: (ms, task) => time.after(ms / this.pace.deviceSpeed, task),
    };
  }

  /** Whether any controller scans or initiates. */
  get listened(): boolean {
    return this.advertisingEvents.listened;
  }

  override configure(change: Partial<AirSettings>): void {
    super.configure(change);
    this.changed();
  }

  /** Restores the settings, places and random numbers of the start, and removes all faults. Delayed packets pass; controllers stay. */
  override reset(seed?: number): void {
    this.faults.clear();
    this.violations.clear();
    super.reset(seed);
    for (const controller of this.controllers.values()) controller.release();
    for (const link of this.links) link.release();
  }

  override setReception(address: string, change: Partial<Reception>, receiver?: string): void {
    super.setReception(address, change, receiver);
    this.changed();
  }

  /** Adds a powered controller; `host` receives its packets. */
  add(options: ControllerOptions, host: Host): Controller {
    const index = leastFree(this.controllers);
    const controller = new Controller(this, index, { strict: this.strict, ...options }, host);
    this.controllers.set(index, controller);
    this.trace?.opened(controller.index, controller.address, controller.name);
    return controller;
  }

  /** Removes a controller, as if it had lost its power. */
  remove(controller: Controller): void {
    controller.power(false);
    if (this.controllers.get(controller.index) === controller) this.controllers.delete(controller.index);
    this.advertisingEvents.forget(controller);
    this.trace?.closed(controller.index);
  }

  controllersOf(matches: (controller: Named) => boolean): readonly Controller[] {
    return [...this.controllers.values()].filter(matches);
  }

  proxiesOf(matches: (proxy: Named) => boolean): readonly FaultyProxy[] {
    return [...this.proxies].filter(matches);
  }

  /** The links with a matching controller at either end. */
  linksOf(matches: (controller: Named) => boolean): readonly Link[] {
    return [...this.links].filter(
      ({ central, peripheral }) => matches(central.controller) || matches(peripheral.controller),
    );
  }

  /** Sends an advertisement of a device outside this air to the scanners that match. */
  inject(pdu: AdvertisingPdu, matches: (controller: Named) => boolean): void {
    this.advertisingEvents.inject(pdu, DEFAULT_RECEPTION.rssi, matches);
  }

  /** Checks for each link whether its ends still reach each other. */
  changed(): void {
    for (const link of this.links) link.check();
  }

  /** The initiator's connection request reaches the advertiser. */
  private connect({ set, central, peripheral }: ConnectionRequest): void {
    const { attempt } = central.controller.initiator;
    if (attempt === undefined) return;
    const phy = set.connectionPhy;
    const parameters = attempt.parametersOn(phy);
    const request = { controller: central.controller, peer: peripheral.controller };
    if (this.hooks.at.connection_request !== undefined && !this.hooks.passes('connection_request', request)) {
      const wait = this.settings.pace === 'fast' ? 0 : ESTABLISHMENT_INTERVALS * parameters.interval;
      central.controller.connectionFails(central, parameters, wait);
      return;
    }
    const ended = (): unknown => this.links.delete(link);
    const link: Link = new Link(this, central, peripheral, { parameters, phy, ended });
    this.links.add(link);
    peripheral.controller.connected(link.peripheral, set);
    central.controller.connected(link.central);
    link.begin();
  }
}
