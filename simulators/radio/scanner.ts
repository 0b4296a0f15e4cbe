import { LeSubevent, encodeLeEvent, events } from '../../src/ble/hci/packets.js';
import { advertisingTypes, isConnectable, isDirected, isScannable, type AdvertisingPdu } from './pdu.js';

/** Legacy and extended commands must not be mixed between two resets (Core 5.4 Vol 4 Part E 3.1.1). */
export type CommandSet = 'legacy' | 'extended';

const SCAN_RESPONSE = 0x04;

/** Event type bits of an extended report (Core 5.4 Vol 4 Part E 7.7.65.13). */
const Bits = {
  connectable: 0x01,
  scannable: 0x02,
  directed: 0x04,
  scanResponse: 0x08,
  legacy: 0x10,
} as const;

/** A value that says "not available" in extended reports. */
const NO_TX_POWER = 0x7f;
const NO_SID = 0xff;

/** The scanning state of one controller (Core 5.4 Vol 6 Part B 4.4.3). */
export class Scanner {
  active = false;
  enabled = false;
  private filterDuplicates = false;
  private commandSet: CommandSet = 'legacy';
  private readonly seen = new Set<string>();

  start(filterDuplicates: boolean, commandSet: CommandSet): void {
    this.enabled = true;
    this.filterDuplicates = filterDuplicates;
    this.commandSet = commandSet;
    this.seen.clear();
  }

  stop(): void {
    this.enabled = false;
    this.seen.clear();
  }

  reset(): void {
    this.stop();
    this.active = false;
  }

  /** The report of a packet heard with `rssi` dBm, or undefined for a duplicate the host does not want. */
  report(pdu: AdvertisingPdu, rssi: number): Buffer | undefined {
    if (this.filterDuplicates) {
      const key = `${pdu.from.type} ${pdu.from.address} ${pdu.response}`;
      if (this.seen.has(key)) return undefined;
      this.seen.add(key);
    }
    return this.commandSet === 'legacy' ? legacyReport(pdu, rssi) : extendedReport(pdu, rssi);
  }
}

const legacyReport = (pdu: AdvertisingPdu, rssi: number): Buffer => {
  const head = events.advertisingReport.write({
    reports: 1,
    type: pdu.response ? SCAN_RESPONSE : legacyType(pdu),
    addressType: pdu.from.type === 'random' ? 1 : 0,
    address: pdu.from.address,
    length: pdu.data.length,
  });
  return encodeLeEvent(
    LeSubevent.advertisingReport,
    Buffer.concat([head, pdu.data, Buffer.from([rssi & 0xff])]),
  );
};

/** Both kinds of directed advertising are reported as ADV_DIRECT_IND. */
const legacyType = ({ type }: AdvertisingPdu): number =>
  advertisingTypes.indexOf(type === 'directedLowDuty' ? 'directedHighDuty' : type);

const extendedReport = (pdu: AdvertisingPdu, rssi: number): Buffer => {
  const head = events.extendedAdvertisingReport.write({
    reports: 1,
    type:
      Bits.legacy |
      (isConnectable(pdu.type) ? Bits.connectable : 0) |
      (isScannable(pdu.type) ? Bits.scannable : 0) |
      (isDirected(pdu.type) ? Bits.directed : 0) |
      (pdu.response ? Bits.scanResponse : 0),
    addressType: pdu.from.type === 'random' ? 1 : 0,
    address: pdu.from.address,
    primaryPhy: 1,
    secondaryPhy: 0,
    advertisingSid: NO_SID,
    txPower: NO_TX_POWER,
    rssi,
    periodicInterval: 0,
    directAddressType: pdu.target?.type === 'random' ? 1 : 0,
    directAddress: pdu.target?.address ?? '00:00:00:00:00:00',
    length: pdu.data.length,
  });
  return encodeLeEvent(LeSubevent.extendedAdvertisingReport, Buffer.concat([head, pdu.data]));
};
