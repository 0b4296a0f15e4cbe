import {
  AdType,
  completeName,
  encodeAdvertisingData,
  generalDiscoverable,
  uuidBytes,
  type AdStructure,
} from '../../ble/advertising-data.js';
import {
  READING_SERVICE_DATA,
  XIAOMI_SERVICE_DATA,
  encodeMiBeacon,
  encodeReadingAdvertisement,
  type Reading,
} from '../../../src/protocols/cgd1/index.js';
import type { Cancel, TimeSource } from '../../../src/async/time.js';

/** The parts of a clock's advertised readings on which sources differ (docs/cgd1-protocol.md §1.1). */
export interface AdvertisementForm {
  /** The first byte: 0x08 or 0x88. */
  readonly header: number;
  /** Bit 7 of the battery. */
  readonly batteryFlag: boolean;
  /** False: old firmware, which does not advertise the battery level. */
  readonly withBattery: boolean;
}

export interface BroadcastContext {
  readonly address: string;
  readonly time: TimeSource;
  readonly form: AdvertisementForm;
  /** The measured values; `battery` in per cent. */
  readonly measured: () => { readonly reading: Reading; readonly battery: number };
  readonly listened: () => boolean;
  readonly advertise: (advertisement: Buffer) => void;
}

/** The turn of each packet: readings and Xiaomi's beacon alternate (docs/cgd1-protocol.md §1). */
const TURN_MS = 1000;

const packet = (uuid: string, data: Buffer): Buffer => {
  const serviceData: AdStructure = {
    type: AdType.serviceData16,
    value: Buffer.concat([uuidBytes(uuid), data]),
  };
  return encodeAdvertisingData([generalDiscoverable, serviceData]);
};

/** The name with a final NUL, as real clocks send it. */
export const nameResponse = (name: string): Buffer =>
  encodeAdvertisingData(name === '' ? [] : [completeName(`${name}\0`)]);

/**
 * The advertisements of a clock. It holds one timer while it advertises. The packets do not alternate while
 * nobody scans, so that a world of hundreds of clocks is idle.
 */
export class Broadcast {
  private next: Cancel | undefined;
  private counter = 0;
  private isBeacon = false;

  constructor(private readonly context: BroadcastContext) {}

  /** The readings now, then both packets alternately. */
  start(): void {
    this.isBeacon = false;
    this.send();
  }

  stop(): void {
    this.next?.();
    this.next = undefined;
  }

  private send(): void {
    this.context.advertise(this.isBeacon ? this.beacon() : this.readings());
    this.wait();
  }

  private wait(): void {
    this.stop();
    this.next = this.context.time.after(TURN_MS, () => {
      if (!this.context.listened()) {
        this.wait();
        return;
      }
      this.isBeacon = !this.isBeacon;
      this.send();
    });
  }

  private readings(): Buffer {
    const { address, form, measured } = this.context;
    const { header, batteryFlag, withBattery } = form;
    const { reading, battery } = measured();
    return packet(
      READING_SERVICE_DATA,
      encodeReadingAdvertisement({
        ...{ address, ...reading, header, batteryFlag },
        battery: withBattery ? battery : null,
      }),
    );
  }

  private beacon(): Buffer {
    const { address } = this.context;
    this.counter = (this.counter + 1) & 0xff;
    return packet(XIAOMI_SERVICE_DATA, encodeMiBeacon({ address, counter: this.counter }));
  }
}
