/** How well a server hears each device. */
import { setNewest } from '../async/newest.js';
import type { Cancel } from '../async/time.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import type { Heard } from '../contract/index.js';
import { MOST_DEVICES } from './bounded.js';
import type { Peer } from './messages.js';

/** How often a server reports the devices that it hears; a device counts as heard for twice as long, ms. */
export const REPEAT_MS = 10_000;
export const FORGET_MS = 2 * REPEAT_MS;
const MOST_IN_A_MESSAGE = 500;

export type Listen = (listener: (address: Address, rssi: number) => void) => Unsubscribe;

interface Reading {
  readonly rssi: number;
  readonly at: number;
}

export class Hearing {
  private readonly signals = new Map<Address, Reading>();
  private listen: Listen | undefined;
  private isOpen = false;
  private unlisten: Unsubscribe | undefined;
  private cancelReport: Cancel | undefined;

  constructor(private readonly peer: Pick<Peer, 'topics' | 'broker' | 'time'>) {}

  /** Listens to devices whenever there is a connection, until the result is called. */
  join(listen: Listen): Unsubscribe {
    this.listen = listen;
    this.start();
    return () => {
      this.listen = undefined;
      this.stop();
    };
  }

  opened(): void {
    this.isOpen = true;
    this.start();
  }

  lost(): void {
    this.isOpen = false;
    this.stop();
  }

  private stop(): void {
    this.unlisten?.();
    this.cancelReport?.();
    this.unlisten = this.cancelReport = undefined;
    this.signals.clear();
  }

  private start(): void {
    if (this.isOpen) this.unlisten ??= this.listen?.((address, rssi) => this.hear(address, rssi));
  }

  private hear(address: Address, rssi: number): void {
    const { time } = this.peer;
    setNewest(this.signals, address, { rssi, at: time.now() }, MOST_DEVICES);
    // Advertisements at the same time go into one message.
    this.cancelReport ??= time.after(0, () => this.report());
  }

  private report(): void {
    const { topics, broker, time } = this.peer;
    const from = time.now() - FORGET_MS;
    for (const [address, { at }] of this.signals) if (at < from) this.signals.delete(address);
    const devices = [...this.signals].map(([address, { rssi }]) => ({ address, rssi }));
    for (let at = 0; at < devices.length; at += MOST_IN_A_MESSAGE) {
      const heard: Heard = { devices: devices.slice(at, at + MOST_IN_A_MESSAGE) };
      broker.publish(topics.heard, JSON.stringify(heard));
    }
    this.cancelReport = devices.length === 0 ? undefined : time.after(REPEAT_MS, () => this.report());
  }
}
