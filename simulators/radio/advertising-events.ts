import { leEventOf } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import type { AdvertisingSet } from './advertising-set.js';
import type { Air } from './air.js';
import type { Controller } from './controller.js';
import { Property, phyBit, sameAddress, typeCode, type DeviceAddress } from './pdu.js';

/** High duty cycle directed advertising gives up after this long (Core 5.4 Vol 6 Part B 4.4.2.4.3). */
const HIGH_DUTY_MS = 1280;

/** Advertising events and who hears them. They come for as long as anybody listens; without a listener nothing runs. */
export class AdvertisingEvents {
  private readonly listeners = new Set<Controller>();

  constructor(
    private readonly air: Air,
    private readonly controllers: ReadonlySet<Controller>,
  ) {}

  get listened(): boolean {
    return this.listeners.size > 0;
  }

  /** A set of a controller begins to advertise, for `duration` ms or, if that is 0, until it is stopped. */
  begin(controller: Controller, set: AdvertisingSet, duration: number): void {
    set.deadline?.();
    const lasts = set.number === undefined && set.is(Property.highDuty) ? HIGH_DUTY_MS : duration;
    set.deadline =
      lasts === 0
        ? undefined
        : this.air.clock.after(lasts, () => controller.advertisingEnded(set, Status.advertisingTimeout));
    this.schedule(controller, set, this.air.pace.atOnce);
  }

  /** A controller began or ceased to scan or to look for a peer. */
  listening(controller: Controller): void {
    if (!controller.scanner.hears && controller.initiating === undefined) {
      this.listeners.delete(controller);
      return;
    }
    this.listeners.add(controller);
    const advertised = [...this.controllers].flatMap((from) =>
      from.advertising.enabled().map((set) => ({ from, set })),
    );
    if (this.air.pace.atOnce) {
      this.air.post(() => advertised.forEach(({ from, set }) => this.transmit(from, set, [controller])));
    }
    for (const { from, set } of advertised) {
      if (set.nextEvent === undefined) this.schedule(from, set, false);
    }
  }

  forget(controller: Controller): void {
    this.listeners.delete(controller);
  }

  /** Who counts its events has them without a listener, too. */
  private schedule(controller: Controller, set: AdvertisingSet, now: boolean): void {
    const { air } = this;
    set.nextEvent?.();
    set.nextEvent = undefined;
    if ((this.listeners.size === 0 && set.maxEvents === 0) || set.enabledAs === undefined) return;
    const event = (): void => {
      set.nextEvent = undefined;
      if (set.maxEvents > 0) set.events += 1;
      this.transmit(controller, set, [...this.listeners]);
      const last = set.maxEvents > 0 && set.events >= set.maxEvents;
      if (last && set.enabledAs !== undefined) controller.advertisingEnded(set, Status.limitReached);
      this.schedule(controller, set, false);
    };
    set.nextEvent = now
      ? air.post(event)
      : air.clock.after(air.pace.advertising(set.parameters.interval, air.rng()), event);
  }

  /** One advertising event, as `receivers` hear it. */
  private transmit(controller: Controller, set: AdvertisingSet, receivers: readonly Controller[]): void {
    const { air } = this;
    for (const receiver of receivers) {
      const from = set.enabledAs;
      if (from === undefined) return;
      if (receiver === controller || !air.reaches(controller, receiver)) continue;
      if (air.loses(controller, receiver)) continue;
      this.scanned(receiver, controller, set, from);
      if (seeks(receiver, controller, set, from)) air.establish(receiver, controller, set, from);
    }
  }

  private scanned(
    receiver: Controller,
    controller: Controller,
    set: AdvertisingSet,
    from: DeviceAddress,
  ): void {
    const { scanner } = receiver;
    const pdu = set.pdu(from, false);
    if (!scanner.hears || !scanner.understands(pdu)) return;
    if (scanner.filtered && !receiver.acceptList.includes(pdu.from)) return;
    const { rssi } = this.air.placeOf(controller.address);
    receiver.hear(pdu, rssi);
    const { own } = scanner;
    if (!scanner.parameters.active || !set.is(Property.scannable) || own === undefined) return;
    if (set.filtersScans && !controller.acceptList.includes(own)) return;
    if (this.air.loses(controller, receiver)) return;
    if (set.number !== undefined && set.parameters.tellsScanRequests) {
      const request = { set: set.number, scannerAddressType: typeCode(own), scannerAddress: own.address };
      controller.toHost(leEventOf('scanRequestReceived', request));
    }
    receiver.hear(set.pdu(from, true), rssi);
  }
}

/** Whether `central` looks for just this advertiser, and the advertiser has room for it. */
const seeks = (
  { initiating, acceptList, links }: Controller,
  peripheral: Controller,
  set: AdvertisingSet,
  from: DeviceAddress,
): boolean => {
  if (initiating === undefined || !set.is(Property.connectable)) return false;
  const { peer, own, phys, commandSet } = initiating;
  const { target, primaryPhy } = set.parameters;
  const wanted = peer === undefined ? acceptList.includes(from) : sameAddress(peer, from);
  const legible = set.is(Property.legacy) || commandSet === 'extended';
  return (
    wanted &&
    legible &&
    (phys & phyBit(primaryPhy)) !== 0 &&
    (!set.is(Property.directed) || sameAddress(own, target)) &&
    (!set.filtersConnections || set.is(Property.directed) || peripheral.acceptList.includes(own)) &&
    peripheral.links.size < peripheral.maxLinks &&
    ![...links.values()].some((end) => sameAddress(end.peer, from))
  );
};
