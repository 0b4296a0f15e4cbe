import type { Cancel } from '../../../src/async/time.js';
import type { CommandSet } from '../host/host-settings.js';
import { PhyBit, Property, has, phyBit, type AdvertisingPdu, type DeviceAddress } from '../medium/pdu.js';
import { isResolvable, sameAddress } from '../../ble/device-address.js';
import { extendedReports, legacyReport } from './reports.js';

/** The latest scan parameters of a host. */
export interface ScanParameters {
  readonly active: boolean;
  readonly ownAddressType: number;
  /** Only devices of the filter accept list. */
  readonly filtered: boolean;
  /** Directed advertising to a private address that cannot be resolved, too (Core 5.4 Vol 6 Part B 4.3.3). */
  readonly takesUnresolved: boolean;
  /** Bits of the primary PHYs on which the scanner listens. */
  readonly phys: number;
}

/** The parameters until the host sets others. */
const initial: ScanParameters = {
  active: false,
  ownAddressType: 0,
  filtered: false,
  takesUnresolved: false,
  phys: PhyBit.le1M,
};

/** The number of packets remembered to filter duplicates; then the scanner forgets the oldest. */
const REMEMBERED = 4096;

/** The scanning state of one controller (Core 5.4 Vol 6 Part B 4.4.3). */
export class Scanner {
  parameters = initial;
  enabled = false;
  /** The family of the command that enabled the scanner decides the form of reports. */
  private commandSet: CommandSet = 'legacy';
  /** Its own public or random address while it scans. */
  own: DeviceAddress | undefined;
  /** The end of the scan duration, or the start of the next period. */
  deadline: Cancel | undefined;
  private paused = false;
  private filterDuplicates = false;
  private readonly seen = new Set<string>();

  /** Whether it scans by extended commands. */
  get isExtended(): boolean {
    return this.enabled && this.commandSet === 'extended';
  }

  /** Whether it listens at this moment. */
  get listening(): boolean {
    return this.enabled && !this.paused;
  }

  start(commandSet: CommandSet, filterDuplicates: boolean, own: DeviceAddress): void {
    this.stop();
    this.enabled = true;
    this.commandSet = commandSet;
    this.own = own;
    this.filterDuplicates = filterDuplicates;
  }

  /** Pauses or resumes, between two periods of scanning. */
  pause(paused: boolean): void {
    this.paused = paused;
  }

  /** Forgets the reported devices, and reports them again. */
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
    this.parameters = initial;
  }

  /** Whether it listens on the PHY of this packet, knows its kind, and may be the target of a directed one. */
  receives({ properties, primaryPhy, target }: AdvertisingPdu): boolean {
    const { phys } = this.parameters;
    const fits = this.commandSet === 'extended' || has(properties, Property.legacy);
    return fits && (target === undefined || this.mayBeTarget(target)) && (phys & phyBit(primaryPhy)) !== 0;
  }

  private mayBeTarget(target: DeviceAddress): boolean {
    return this.isOwn(target) || (this.parameters.takesUnresolved && isResolvable(target));
  }

  private isOwn(address: DeviceAddress): boolean {
    return this.own !== undefined && sameAddress(this.own, address);
  }

  /** The reports of a packet received with `rssi` dBm: empty for a filtered duplicate, several for long data. */
  report(pdu: AdvertisingPdu, rssi: number): readonly Buffer[] {
    if (this.filterDuplicates) {
      const { from, response, identifier } = pdu;
      const key = [from?.type, from?.address, response, identifier?.sid, identifier?.did].join(' ');
      if (this.seen.has(key)) return [];
      this.seen.add(key);
      const [oldest] = this.seen;
      if (this.seen.size > REMEMBERED && oldest !== undefined) this.seen.delete(oldest);
    }
    const { target } = pdu;
    const unresolved = target === undefined || this.isOwn(target) ? undefined : target;
    return this.commandSet === 'legacy'
      ? [legacyReport(pdu, rssi, unresolved)]
      : extendedReports(pdu, rssi, unresolved);
  }
}
