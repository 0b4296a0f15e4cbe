import type { Cancel } from '../../../src/async/time.js';
import {
  Property,
  has,
  legacyProperties,
  type AdvertisingPdu,
  type DeviceAddress,
  type OwnAddress,
} from '../medium/pdu.js';

/** The addresses in the packets of a set. */
export interface SetAddresses {
  readonly own: OwnAddress;
  /** The target of directed advertising. */
  readonly target: DeviceAddress | undefined;
}

export interface AdvertisingParameters {
  /** Bits of `Property`. */
  readonly properties: number;
  /** Milliseconds. */
  readonly interval: number;
  readonly ownAddressType: number;
  /** The target of directed advertising, or the device for which a private address is made. */
  readonly target: DeviceAddress;
  readonly filterPolicy: number;
  readonly primaryPhy: number;
  readonly secondaryPhy: number;
  readonly sid: number;
  /** The host wants LE Scan Request Received. */
  readonly scanRequestNotification: boolean;
}

/** The parameters until the host sets others (Core 5.4 Vol 4 Part E 7.8.5). */
const initial: AdvertisingParameters = {
  properties: legacyProperties[0] ?? Property.legacy,
  interval: 1280,
  ownAddressType: 0,
  target: { address: '00:00:00:00:00:00', type: 'public' },
  filterPolicy: 0,
  primaryPhy: 1,
  secondaryPhy: 1,
  sid: 0,
  scanRequestNotification: false,
};

const NO_DATA = Buffer.alloc(0);

/** The transmit power of all controllers, dBm. */
export const TX_POWER = 0;

/** Bits of Advertising_Filter_Policy: scan requests and connection requests only from the filter accept list (Core 5.4 Vol 6 Part B 4.3.2). */
const FILTERS_SCANS = 0b01;
const FILTERS_CONNECTIONS = 0b10;

/** One advertising set (Core 5.4 Vol 6 Part B 4.4.2.10); the legacy commands have one without a number. */
export class AdvertisingSet {
  parameters = initial;
  data: Buffer = NO_DATA;
  scanResponse: Buffer = NO_DATA;
  /** Data whose last part is missing. */
  readonly parts: { data?: Buffer | undefined; scanResponse?: Buffer | undefined } = {};
  randomAddress: string | undefined;
  /** The current addresses while the set advertises; private addresses change from time to time. */
  addresses: (() => SetAddresses) | undefined;
  /** The limit of advertising events (0: no limit), and the events so far, counted only with a limit. */
  maxEvents = 0;
  events = 0;
  /** The next advertising event, while any controller listens to the set. */
  nextEvent: Cancel | undefined;
  /** The end of the duration. */
  deadline: Cancel | undefined;
  private did = 0;

  constructor(
    /** Its number among the sets of a host that uses the extended commands. */
    readonly number?: number,
  ) {}

  is(property: number): boolean {
    return has(this.parameters.properties, property);
  }

  get enabled(): boolean {
    return this.addresses !== undefined;
  }

  get filtersScans(): boolean {
    return (this.parameters.filterPolicy & FILTERS_SCANS) !== 0;
  }

  get filtersConnections(): boolean {
    return (this.parameters.filterPolicy & FILTERS_CONNECTIONS) !== 0;
  }

  /** The PHY on which a connection to the set begins. */
  get connectionPhy(): number {
    return this.is(Property.legacy) ? 1 : this.parameters.secondaryPhy;
  }

  /** New data of either kind. Scanners that filter duplicates report the set again. */
  set(kind: 'data' | 'scanResponse', data: Buffer): void {
    this[kind] = data;
    this.did = (this.did + 1) & 0x0fff;
  }

  /** One packet of the set. Legacy directed advertising carries no data (Core 5.4 Vol 6 Part B 2.3.1.2). */
  pdu({ own, target }: SetAddresses, response: boolean): AdvertisingPdu {
    const { properties, primaryPhy, secondaryPhy, sid } = this.parameters;
    const legacy = this.is(Property.legacy);
    const dataless = legacy && this.is(Property.directed);
    return {
      from: this.is(Property.anonymous) ? undefined : own,
      properties,
      response,
      data: response ? this.scanResponse : dataless ? NO_DATA : this.data,
      target,
      primaryPhy,
      secondaryPhy: legacy ? 0 : secondaryPhy,
      identifier: legacy ? undefined : { sid, did: this.did },
      txPower: this.is(Property.txPower) ? TX_POWER : undefined,
    };
  }

  stop(): void {
    this.addresses = undefined;
    this.nextEvent?.();
    this.nextEvent = undefined;
    this.deadline?.();
    this.deadline = undefined;
  }

  reset(): void {
    this.stop();
    this.parameters = initial;
    this.data = NO_DATA;
    this.scanResponse = NO_DATA;
  }
}
