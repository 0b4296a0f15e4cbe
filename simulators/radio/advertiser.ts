import type { Cancel } from '../../src/time.js';
import type { AdvertisingType, DeviceAddress } from './pdu.js';

export interface AdvertisingParameters {
  readonly type: AdvertisingType;
  /** Milliseconds. */
  readonly interval: number;
  readonly randomAddress: boolean;
  /** Whom directed advertising is for. */
  readonly target: DeviceAddress;
}

/** The advertising state of one controller (Core 5.4 Vol 6 Part B 4.4.2). */
export class Advertiser {
  parameters: AdvertisingParameters = {
    type: 'undirected',
    interval: 1280,
    randomAddress: false,
    target: { address: '00:00:00:00:00:00', type: 'public' },
  };
  data: Buffer = Buffer.alloc(0);
  scanResponse: Buffer = Buffer.alloc(0);
  /** The address it goes by, while it advertises. */
  enabledAs: DeviceAddress | undefined;
  /** The next advertising event, while anybody might hear it. */
  nextEvent: Cancel | undefined;

  stop(): void {
    this.enabledAs = undefined;
    this.nextEvent?.();
    this.nextEvent = undefined;
  }
}
