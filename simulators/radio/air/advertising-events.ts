import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import type { Controller } from '../controller/controller.js';
import { leEventOf } from '../host/event-packets.js';
import type { Medium } from '../medium/medium.js';
import {
  Property,
  phyBit,
  sameAddress,
  typeCode,
  type AdvertisingPdu,
  type DeviceAddress,
} from '../medium/pdu.js';

/** High duty cycle directed advertising ends after this (Core 5.4 Vol 6 Part B 4.4.2.4.3). */
const HIGH_DUTY_MS = 1280;
/** The longest interval of its events; the host's interval does not apply (Core 5.4 Vol 4 Part E 7.8.5). */
const HIGH_DUTY_INTERVAL_MS = 3.75;

/** Connects an initiator to an advertiser, whose address is `peer`. */
type Connect = (
  central: Controller,
  peripheral: Controller,
  set: AdvertisingSet,
  peer: DeviceAddress,
) => void;

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
    private readonly connect: Connect,
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

  /** Sends an advertisement of a device that is not in this air to the scanners that match. */
  inject(pdu: AdvertisingPdu, rssi: number, matches: (controller: Controller) => boolean): void {
    for (const receiver of this.listeners) {
      if (matches(receiver) && scans(receiver, pdu)) receiver.receiveAdvertising(pdu, rssi);
    }
  }

  forget(controller: Controller): void {
    this.listeners.delete(controller);
  }

  /** The sets that a controller listens to. */
  private heardBy(listener: Controller): readonly Advertiser[] {
    return [...this.controllers.values()].flatMap((from) =>
      from.advertising.all
        .filter(({ enabledAs }) => enabledAs !== undefined && listensTo(listener, enabledAs))
        .map((set) => ({ from, set })),
    );
  }

  /** A set with a limited number of events has them without a listener, too. */
  private schedule(controller: Controller, set: AdvertisingSet, now: boolean): void {
    const { medium } = this;
    set.nextEvent?.();
    set.nextEvent = undefined;
    const { enabledAs } = set;
    if (enabledAs === undefined) return;
    if (set.maxEvents === 0 && ![...this.listeners].some((listener) => listensTo(listener, enabledAs)))
      return;
    const event = (): void => {
      set.nextEvent = undefined;
      if (set.maxEvents > 0) set.events += 1;
      this.transmit(controller, set, [...this.listeners]);
      const last = set.maxEvents > 0 && set.events >= set.maxEvents;
      if (last && set.enabledAs !== undefined) controller.advertisingEnded(set, Status.limitReached);
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
    for (const receiver of receivers) {
      const from = set.enabledAs;
      if (from === undefined) return;
      if (receiver === controller || !listensTo(receiver, from) || !medium.reaches(controller, receiver))
        continue;
      if (medium.loses(controller, receiver)) continue;
      const pdu = this.afterHooks(controller, receiver, set.pdu(from, false));
      if (pdu === undefined) continue;
      if (scans(receiver, pdu)) this.scanned(receiver, controller, set, pdu, from);
      if (initiates(receiver, controller, set, from)) this.connect(receiver, controller, set, from);
    }
  }

  /** A scanner receives an advertisement and, if it scans actively, the scan response. */
  private scanned(
    receiver: Controller,
    controller: Controller,
    set: AdvertisingSet,
    pdu: AdvertisingPdu,
    from: DeviceAddress,
  ): void {
    const { medium } = this;
    const { scanner } = receiver;
    const rssi = medium.rssiOf(controller, receiver);
    receiver.receiveAdvertising(pdu, rssi);
    const { own } = scanner;
    if (!scanner.parameters.active || !set.is(Property.scannable) || own === undefined) return;
    if (set.filtersScans && !controller.acceptList.includes(own)) return;
    if (medium.loses(controller, receiver)) return;
    if (set.number !== undefined && set.parameters.scanRequestNotification) {
      const request = { set: set.number, scannerAddressType: typeCode(own), scannerAddress: own.address };
      controller.host.send(leEventOf('scanRequestReceived', request));
    }
    const response = this.afterHooks(controller, receiver, set.pdu(from, true));
    if (response !== undefined) receiver.receiveAdvertising(response, rssi);
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
const listensTo = ({ scanner, initiator: { attempt } }: Controller, from: DeviceAddress): boolean =>
  scanner.listening ||
  (attempt !== undefined && (attempt.peer === undefined || sameAddress(attempt.peer, from)));

/** Whether a controller scans for such a packet. */
const scans = ({ scanner, acceptList }: Controller, pdu: AdvertisingPdu): boolean =>
  scanner.listening &&
  scanner.receives(pdu) &&
  (!scanner.parameters.filtered || acceptList.includes(pdu.from));

/** Whether a controller wants to connect to this advertiser, and both have room for a link. */
const initiates = (
  { initiator: { attempt }, acceptList, links }: Controller,
  peripheral: Controller,
  set: AdvertisingSet,
  from: DeviceAddress,
): boolean => {
  if (attempt === undefined || !set.is(Property.connectable)) return false;
  const { peer, own, phys, commandSet } = attempt;
  const { target, primaryPhy } = set.parameters;
  const wanted = peer === undefined ? acceptList.includes(from) : sameAddress(peer, from);
  const known = set.is(Property.legacy) || commandSet === 'extended';
  return (
    wanted &&
    known &&
    (phys & phyBit(primaryPhy)) !== 0 &&
    (!set.is(Property.directed) || sameAddress(own, target)) &&
    (!set.filtersConnections || set.is(Property.directed) || peripheral.acceptList.includes(own)) &&
    !links.full &&
    !peripheral.links.full &&
    !links.isConnectedTo(from)
  );
};
