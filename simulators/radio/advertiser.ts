import type { Cancel } from '../../src/time.js';
import { isDirected, type AdvertisingPdu, type AdvertisingType, type DeviceAddress } from './pdu.js';

export interface AdvertisingParameters {
  readonly type: AdvertisingType;
  /** Milliseconds. */
  readonly interval: number;
  readonly randomAddress: boolean;
  /** Whom directed advertising is for. */
  readonly target: DeviceAddress;
}

/** What a controller advertises with until its host says otherwise (Core 5.4 Vol 4 Part E 7.8.5). */
const usual: AdvertisingParameters = {
  type: 'undirected',
  interval: 1280,
  randomAddress: false,
  target: { address: '00:00:00:00:00:00', type: 'public' },
};

const NO_DATA = Buffer.alloc(0);

/** The advertising state of one controller (Core 5.4 Vol 6 Part B 4.4.2). */
export class Advertiser {
  parameters = usual;
  data: Buffer = NO_DATA;
  scanResponse: Buffer = NO_DATA;
  /** The address it goes by, while it advertises. */
  enabledAs: DeviceAddress | undefined;
  /** The next advertising event, while anybody might hear it. */
  nextEvent: Cancel | undefined;
  /** The end of high duty cycle advertising. */
  deadline: Cancel | undefined;

  /** One packet of it. Directed advertising carries addresses and no data (Core 5.4 Vol 6 Part B 2.3.1.2). */
  pdu(from: DeviceAddress): AdvertisingPdu {
    const { type, target } = this.parameters;
    return isDirected(type)
      ? { from, type, response: false, data: NO_DATA, target }
      : { from, type, response: false, data: this.data };
  }

  stop(): void {
    this.enabledAs = undefined;
    this.nextEvent?.();
    this.nextEvent = undefined;
    this.deadline?.();
    this.deadline = undefined;
  }

  reset(): void {
    this.stop();
    this.parameters = usual;
    this.data = NO_DATA;
    this.scanResponse = NO_DATA;
  }
}
