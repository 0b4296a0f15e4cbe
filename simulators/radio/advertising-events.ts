import { leEventOf } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import type { AdvertisingSet } from './advertising-set.js';
import type { Air } from './air.js';
import type { Controller } from './controller.js';
import { Property, phyBit, sameAddress, typeCode, type AdvertisingPdu, type DeviceAddress } from './pdu.js';

/** High duty cycle directed advertising gives up after this long (Core 5.4 Vol 6 Part B 4.4.2.4.3). */
const HIGH_DUTY_MS = 1280;
/** Between its events, at most; the host's interval is not heeded (Core 5.4 Vol 4 Part E 7.8.5). */
const HIGH_DUTY_INTERVAL_MS = 3.75;

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

  /** An advertisement of nobody who is in this air, to those who scan. */
  strange(pdu: AdvertisingPdu, rssi: number, isHearer: (controller: Controller) => boolean): void {
    for (const receiver of this.listeners) {
      if (isHearer(receiver) && listensTo(receiver, pdu)) receiver.hear(pdu, rssi);
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
    const pause = set.is(Property.highDuty)
      ? air.pace.advertising(HIGH_DUTY_INTERVAL_MS, 0)
      : air.pace.advertising(set.parameters.interval, air.rng());
    set.nextEvent = now ? air.post(event) : air.clock.after(pause, event);
  }

  /** One advertising event, as `receivers` hear it. */
  private transmit(controller: Controller, set: AdvertisingSet, receivers: readonly Controller[]): void {
    const { air } = this;
    for (const receiver of receivers) {
      const from = set.enabledAs;
      if (from === undefined) return;
      if (receiver === controller || !air.reaches(controller, receiver)) continue;
      if (air.loses(controller, receiver)) continue;
      const pdu = this.arrives(controller, receiver, set.pdu(from, false));
      if (pdu === undefined) continue;
      if (listensTo(receiver, pdu)) this.scanned(receiver, controller, set, pdu, from);
      if (seeks(receiver, controller, set, from)) air.establish(receiver, controller, set, from);
    }
  }

  private scanned(
    receiver: Controller,
    controller: Controller,
    set: AdvertisingSet,
    pdu: AdvertisingPdu,
    from: DeviceAddress,
  ): void {
    const { air } = this;
    const { scanner } = receiver;
    const rssi = air.rssiOf(controller);
    receiver.hear(pdu, rssi);
    const { own } = scanner;
    if (!scanner.parameters.active || !set.is(Property.scannable) || own === undefined) return;
    if (set.filtersScans && !controller.acceptList.includes(own)) return;
    if (air.loses(controller, receiver)) return;
    if (set.number !== undefined && set.parameters.tellsScanRequests) {
      const request = { set: set.number, scannerAddressType: typeCode(own), scannerAddress: own.address };
      controller.toHost(leEventOf('scanRequestReceived', request));
    }
    const response = this.arrives(controller, receiver, set.pdu(from, true));
    if (response !== undefined) receiver.hear(response, rssi);
  }

  /** An advertising packet as it is heard, if no hook stops it. */
  private arrives(controller: Controller, peer: Controller, pdu: AdvertisingPdu): AdvertisingPdu | undefined {
    const { hooks } = this.air;
    if (hooks.at.advertising === undefined) return pdu;
    const passing = { controller, peer, payload: pdu.data };
    return hooks.passes('advertising', passing) ? { ...pdu, data: passing.payload } : undefined;
  }
}

/** Whether a scanner hears this packet, and wants it. */
const listensTo = ({ scanner, acceptList }: Controller, pdu: AdvertisingPdu): boolean =>
  scanner.hears && scanner.understands(pdu) && (!scanner.filtered || acceptList.includes(pdu.from));

/** Whether `central` looks for just this advertiser, and both have room for a link. */
const seeks = (
  { initiating, acceptList, links, maxLinks }: Controller,
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
    links.size < maxLinks &&
    peripheral.links.size < peripheral.maxLinks &&
    ![...links.values()].some((end) => sameAddress(end.peer, from))
  );
};
