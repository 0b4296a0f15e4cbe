import type { Cancel } from '../../src/time.js';
import {
  PhyBit,
  Property,
  has,
  phyBit,
  sameAddress,
  type AdvertisingPdu,
  type DeviceAddress,
} from './pdu.js';
import { extendedReports, legacyReport } from './reports.js';

/** The families of LE commands, which a host must not mix. */
export type CommandSet = 'legacy' | 'extended';

/** What a host asked to hear, by the latest scan parameters. */
export interface ScanParameters {
  readonly active: boolean;
  readonly ownAddressType: number;
  /** Only devices of the filter accept list. */
  readonly filtered: boolean;
  /** Bits of the primary PHYs it listens on. */
  readonly phys: number;
}

/** Until the host says otherwise, by commands of either family. */
const usual: ScanParameters = {
  active: false,
  ownAddressType: 0,
  filtered: false,
  phys: PhyBit.le1M,
};

/** How many packets it remembers in order not to report them again; of more the oldest are forgotten. */
const REMEMBERED = 4096;

/** The scanning state of one controller (Core 5.4 Vol 6 Part B 4.4.3). */
export class Scanner {
  parameters = usual;
  enabled = false;
  /** The family of the command that enabled it, whose reports it makes. */
  private commandSet: CommandSet = 'legacy';
  /** The address it goes by, while it scans. */
  own: DeviceAddress | undefined;
  /** Scanning for a limited time: its end, or its next beginning. */
  deadline: Cancel | undefined;
  private paused = false;
  private filterDuplicates = false;
  private readonly seen = new Set<string>();

  get filtered(): boolean {
    return this.parameters.filtered;
  }

  /** Whether it listens at this moment. */
  get hears(): boolean {
    return this.enabled && !this.paused;
  }

  start(commandSet: CommandSet, filterDuplicates: boolean, own: DeviceAddress): void {
    this.stop();
    this.enabled = true;
    this.commandSet = commandSet;
    this.own = own;
    this.filterDuplicates = filterDuplicates;
  }

  /** Between two periods of scanning. */
  pause(paused: boolean): void {
    this.paused = paused;
  }

  /** What was reported already is reported again. */
  forgetDuplicates(): void {
    this.seen.clear();
  }

  stop(): void {
    this.enabled = false;
    this.paused = false;
    this.own = undefined;
    this.deadline?.();
    this.deadline = undefined;
    this.seen.clear();
  }

  reset(): void {
    this.stop();
    this.parameters = usual;
  }

  /** Whether it listens where this packet is sent, understands it, and is not left out by a directed one. */
  understands({ properties, primaryPhy, target }: AdvertisingPdu): boolean {
    const { phys } = this.parameters;
    const legible = this.commandSet === 'extended' || has(properties, Property.legacy);
    const meant = target === undefined || (this.own !== undefined && sameAddress(this.own, target));
    return legible && meant && (phys & phyBit(primaryPhy)) !== 0;
  }

  /** The reports of a packet heard with `rssi` dBm: none for a duplicate the host does not want, several for long data. */
  report(pdu: AdvertisingPdu, rssi: number): readonly Buffer[] {
    if (this.filterDuplicates) {
      const { from, response, identifier } = pdu;
      const key = [from?.type, from?.address, response, identifier?.sid, identifier?.did].join(' ');
      if (this.seen.has(key)) return [];
      this.seen.add(key);
      const [oldest] = this.seen;
      if (this.seen.size > REMEMBERED && oldest !== undefined) this.seen.delete(oldest);
    }
    return this.commandSet === 'legacy' ? [legacyReport(pdu, rssi)] : extendedReports(pdu, rssi);
  }
}
