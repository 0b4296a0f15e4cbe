import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet, SetAddresses } from '../advertising/advertising-set.js';
import { connectionRequest, type ConnectionRequest } from './connection-request.js';
import type { Controller } from '../controller/controller.js';
import { leEventOf } from '../host/event-packets.js';
import type { Medium } from '../medium/medium.js';
import { scanRequest, scanned } from './scan-requests.js';
import { Property, typeCode, type AdvertisingPdu, type DeviceAddress } from '../medium/pdu.js';

/** The duration of high duty cycle directed advertising (Core 5.4 Vol 6 Part B 4.4.2.4.3). */
const HIGH_DUTY_MS = 1280;
/** The longest interval of high duty cycle events; the host's interval does not apply (Core 5.4 Vol 4 Part E 7.8.5). */
const HIGH_DUTY_INTERVAL_MS = 3.75;

/** A set that advertises, and its controller. */
interface Advertiser {
  readonly from: Controller;
  readonly set: AdvertisingSet;
}

/** The advertising events of all controllers, and their receivers. A set has events only while a controller listens to it. */
export class AdvertisingEvents {
  private readonly listeners = new Set<Controller>();

  constructor(
    private readonly medium: Medium,
    private readonly controllers: ReadonlyMap<number, Controller>,
    private readonly connect: (request: ConnectionRequest) => void,
  ) {}

  get listened(): boolean {
    return this.listeners.size > 0;
  }

  /** Begins the events of a set: for `duration` ms or, if that is 0, until it is stopped. */
  begin(controller: Controller, set: AdvertisingSet, duration: number): void {
    set.deadline?.();
    const limit = set.number === undefined && set.is(Property.highDuty) ? HIGH_DUTY_MS : duration;
    set.deadline =
      limit === 0
        ? undefined
        : this.medium.time.after(limit, () => controller.advertisingEnded(set, Status.advertisingTimeout));
    this.schedule(controller, set, this.medium.pace.immediate);
  }

  /** A controller began or stopped to scan or to initiate. */
  listeningChanged(controller: Controller): void {
    if (!controller.scanner.listening && controller.initiator.attempt === undefined) {
      this.listeners.delete(controller);
      return;
    }
    this.listeners.add(controller);
    const advertisers = this.advertisersFor(controller);
    for (const { from, set } of advertisers) if (set.nextEvent === undefined) this.schedule(from, set, false);
    // Linux ignores reports until start_discovery_complete (net/bluetooth/mgmt.c), after its controller has begun to scan. A
    // filtered duplicate of such a report would never come. Linux uses the extended commands.
    if (!this.medium.pace.immediate || (controller.isRemote && controller.scanner.isExtended)) return;
    this.medium.post(() => advertisers.forEach(({ from, set }) => this.transmit(from, set, [controller])));
  }

  /** Sends an advertisement of a device outside this air to the scanners that match. */
  inject(pdu: AdvertisingPdu, rssi: number, matches: (controller: Controller) => boolean): void {
    for (const receiver of this.listeners) {
      const received = matches(receiver) ? scanned(receiver, pdu) : undefined;
      if (received !== undefined) receiver.receiveAdvertising(received, rssi);
    }
  }

  forget(controller: Controller): void {
    this.listeners.delete(controller);
  }

  /** The sets that a controller listens to. */
  private advertisersFor(listener: Controller): readonly Advertiser[] {
    return [...this.controllers.values()].flatMap((from) =>
      from.advertising.all
        .filter(({ addresses }) => addresses !== undefined && listensTo(listener, addresses().own))
        .map((set) => ({ from, set })),
    );
  }

  /** Schedules the next event of a set. A set with a limit of events needs no listener. */
  private schedule(controller: Controller, set: AdvertisingSet, now: boolean): void {
    const { medium } = this;
    set.nextEvent?.();
    set.nextEvent = undefined;
    if (set.addresses === undefined) return;
    const { own } = set.addresses();
    if (set.maxEvents === 0 && ![...this.listeners].some((listener) => listensTo(listener, own))) return;
    const event = (): void => {
      set.nextEvent = undefined;
      if (set.maxEvents > 0) set.events += 1;
      this.transmit(controller, set, [...this.listeners]);
      const last = set.maxEvents > 0 && set.events >= set.maxEvents;
      if (last && set.enabled) controller.advertisingEnded(set, Status.limitReached);
      this.schedule(controller, set, false);
    };
    const pause = set.is(Property.highDuty)
      ? medium.pace.advertising(HIGH_DUTY_INTERVAL_MS, 0)
      : medium.pace.advertising(set.parameters.interval, medium.rng());
    set.nextEvent = now ? medium.post(event) : medium.time.after(pause, event);
  }

  private transmit(controller: Controller, set: AdvertisingSet, receivers: readonly Controller[]): void {
    const { medium } = this;
    const addresses = set.addresses?.();
    for (const receiver of receivers) {
      if (addresses === undefined || !set.enabled) return;
      if (receiver === controller || !listensTo(receiver, addresses.own)) continue;
      if (!medium.reaches(controller, receiver) || medium.loses(controller, receiver)) continue;
      const pdu = this.afterHooks(controller, receiver, set.pdu(addresses, false));
      if (pdu === undefined) continue;
      const received = scanned(receiver, pdu);
      if (received !== undefined) this.report(receiver, controller, set, received, addresses);
      const request = connectionRequest(receiver, controller, set, addresses);
      if (request !== undefined) this.connect(request);
    }
  }

  /** A scanner receives an advertisement and, if it scans actively, the scan response. */
  private report(
    receiver: Controller,
    controller: Controller,
    set: AdvertisingSet,
    received: AdvertisingPdu,
    addresses: SetAddresses,
  ): void {
    const { medium } = this;
    const rssi = medium.rssiOf(controller, receiver);
    receiver.receiveAdvertising(received, rssi);
    if (!receiver.scanner.parameters.active || !set.is(Property.scannable)) return;
    const scanner = scanRequest(receiver, controller, set, received);
    if (scanner === undefined || medium.loses(controller, receiver)) return;
    if (set.number !== undefined && set.parameters.scanRequestNotification) {
      const request = {
        set: set.number,
        scannerAddressType: typeCode(scanner),
        scannerAddress: scanner.address,
      };
      controller.host.send(leEventOf('scanRequestReceived', request));
    }
    const response = this.afterHooks(controller, receiver, set.pdu(addresses, true));
    if (response !== undefined) {
      receiver.receiveAdvertising({ ...response, from: received.from, target: received.target }, rssi);
    }
  }

  /** An advertising packet after its hooks; undefined if a hook drops it. */
  private afterHooks(
    controller: Controller,
    peer: Controller,
    pdu: AdvertisingPdu,
  ): AdvertisingPdu | undefined {
    const { hooks } = this.medium;
    if (hooks.at.advertising === undefined) return pdu;
    const passing = { controller, peer, payload: pdu.data };
    return hooks.passes('advertising', passing) ? { ...pdu, data: passing.payload } : undefined;
  }
}

/** Whether a controller scans, or may connect to this advertiser. */
const listensTo = (
  { scanner, privacy, initiator: { attempt } }: Controller,
  advertiser: DeviceAddress,
): boolean =>
  scanner.listening ||
  (attempt !== undefined && (attempt.peer === undefined || privacy.mayBe(attempt.peer, advertiser)));
