import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet, SetAddresses } from '../advertising/advertising-set.js';
import { connectionRequest, type ConnectionRequest } from './connection-request.js';
import type { Controller } from '../controller/controller.js';
import { leEventOf } from '../host/event-packets.js';
import type { Medium } from '../medium/medium.js';
import { scanRequest, scanned } from './scan-requests.js';
import { Property, typeCode, type AdvertisingPdu, type DeviceAddress } from '../medium/pdu.js';

/** High duty cycle directed advertising ends after this (Core 5.4 Vol 6 Part B 4.4.2.4.3). */
const HIGH_DUTY_MS = 1280;
/** The longest interval of its events; the host's interval does not apply (Core 5.4 Vol 4 Part E 7.8.5). */
const HIGH_DUTY_INTERVAL_MS = 3.75;

/** A set that advertises, and whose it is. */
interface Advertiser {
  readonly from: Controller;
  readonly set: AdvertisingSet;
}

/** The advertising events of all controllers and who receives them. Those of a set run only while a controller listens to it. */
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
    const lasts = set.number === undefined && set.is(Property.highDuty) ? HIGH_DUTY_MS : duration;
    set.deadline =
      lasts === 0
        ? undefined
        : this.medium.time.after(lasts, () => controller.advertisingEnded(set, Status.advertisingTimeout));
    this.schedule(controller, set, this.medium.pace.immediate);
  }

  /** A controller began or stopped to scan or to initiate. */
  listeningChanged(controller: Controller): void {
    if (!controller.scanner.listening && controller.initiator.attempt === undefined) {
      this.listeners.delete(controller);
      return;
    }
    this.listeners.add(controller);
    const scanners = this.heardBy(controller);
    for (const { from, set } of scanners) if (set.nextEvent === undefined) this.schedule(from, set, false);
    // Linux ignores reports until it knows itself that it scans, which is later than its controller (start_discovery_complete
    // in net/bluetooth/mgmt.c), and would have none again of duplicates that are filtered. Its commands are the extended ones.
    if (!this.medium.pace.immediate || (controller.isRemote && controller.scanner.isExtended)) return;
    this.medium.post(() => scanners.forEach(({ from, set }) => this.transmit(from, set, [controller])));
  }

  /** Sends an advertisement of a device outside this air to the scanners that match. */
  inject(pdu: AdvertisingPdu, rssi: number, matches: (controller: Controller) => boolean): void {
    for (const receiver of this.listeners) {
      const known = matches(receiver) ? scanned(receiver, pdu) : undefined;
      if (known !== undefined) receiver.receiveAdvertising(known, rssi);
    }
  }

  forget(controller: Controller): void {
    this.listeners.delete(controller);
  }

  /** The sets that a controller listens to. */
  private heardBy(listener: Controller): readonly Advertiser[] {
    return [...this.controllers.values()].flatMap((from) =>
      from.advertising.all
        .filter(({ addresses }) => addresses !== undefined && listensTo(listener, addresses().own))
        .map((set) => ({ from, set })),
    );
  }

  /** A set with a limited number of events has them without a listener, too. */
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

  /** One advertising event. */
  private transmit(controller: Controller, set: AdvertisingSet, receivers: readonly Controller[]): void {
    const { medium } = this;
    const addresses = set.addresses?.();
    for (const receiver of receivers) {
      if (addresses === undefined || !set.enabled) return;
      if (receiver === controller || !listensTo(receiver, addresses.own)) continue;
      if (!medium.reaches(controller, receiver) || medium.loses(controller, receiver)) continue;
      const pdu = this.afterHooks(controller, receiver, set.pdu(addresses, false));
      if (pdu === undefined) continue;
      const known = scanned(receiver, pdu);
      if (known !== undefined) this.report(receiver, controller, set, known, addresses);
      const request = connectionRequest(receiver, controller, set, addresses);
      if (request !== undefined) this.connect(request);
    }
  }

  /** A scanner receives an advertisement and, if it scans actively, the scan response. */
  private report(
    receiver: Controller,
    controller: Controller,
    set: AdvertisingSet,
    known: AdvertisingPdu,
    addresses: SetAddresses,
  ): void {
    const { medium } = this;
    const rssi = medium.rssiOf(controller, receiver);
    receiver.receiveAdvertising(known, rssi);
    if (!receiver.scanner.parameters.active || !set.is(Property.scannable)) return;
    const scanner = scanRequest(receiver, controller, set, known);
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
      receiver.receiveAdvertising({ ...response, from: known.from, target: known.target }, rssi);
    }
  }

  /** An advertising packet as its hooks leave it; undefined if one stops it. */
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

/** Whether a controller may want anything from this advertiser. */
const listensTo = (
  { scanner, privacy, initiator: { attempt } }: Controller,
  advertiser: DeviceAddress,
): boolean =>
  scanner.listening ||
  (attempt !== undefined && (attempt.peer === undefined || privacy.mayBe(attempt.peer, advertiser)));
