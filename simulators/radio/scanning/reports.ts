/** Advertising reports (Core 5.4 Vol 4 Part E 7.7.65.2, 7.7.65.11 and 7.7.65.13). */
import { LeSubevent, events } from '../../../src/ble/hci/packets.js';
import { encodeLeEvent, leEventOf } from '../host/event-packets.js';
import { Property, has, typeCode, type AdvertisingPdu, type PeerAddress } from '../medium/pdu.js';

/** Types of a legacy report. */
const LegacyType = { undirected: 0, directed: 1, scannable: 2, nonConnectable: 3, scanResponse: 4 } as const;

/** Event type bits of an extended report that the advertisement's properties do not have. */
const SCAN_RESPONSE = 0x08;
const PROPERTIES = Property.connectable | Property.scannable | Property.directed | Property.legacy;
const Status = { complete: 0b00 << 5, more: 0b01 << 5 } as const;

/** Values that say "not available". */
const NO_TX_POWER = 0x7f;
const NO_SID = 0xff;
const ANONYMOUS = 0xff;
/** The type of a target's unresolved private address in an extended report. */
const UNRESOLVED = 0xfe;
const NO_ADDRESS = '00:00:00:00:00:00';

/** The maximum data of one report: an event has at most 255 bytes of parameters. */
const MAX_REPORTED = 254 - events.extendedAdvertisingReport.size;

/** Both kinds of directed advertising are reported as ADV_DIRECT_IND. */
const legacyType = ({ properties, response }: AdvertisingPdu): number => {
  if (response) return LegacyType.scanResponse;
  if (has(properties, Property.directed)) return LegacyType.directed;
  if (has(properties, Property.connectable)) return LegacyType.undirected;
  return has(properties, Property.scannable) ? LegacyType.scannable : LegacyType.nonConnectable;
};

/** `unresolved`: the target of directed advertising, if it is a private address that the controller cannot resolve. */
export const legacyReport = (pdu: AdvertisingPdu, rssi: number, unresolved?: PeerAddress): Buffer => {
  if (unresolved !== undefined) {
    return leEventOf('directedAdvertisingReport', {
      reports: 1,
      type: LegacyType.directed,
      addressType: typeCode(pdu.from),
      address: pdu.from?.address ?? NO_ADDRESS,
      directAddressType: typeCode(unresolved),
      directAddress: unresolved.address,
      rssi,
    });
  }
  const head = events.advertisingReport.write({
    reports: 1,
    type: legacyType(pdu),
    addressType: typeCode(pdu.from),
    address: pdu.from?.address ?? NO_ADDRESS,
    length: pdu.data.length,
  });
  return encodeLeEvent(
    LeSubevent.advertisingReport,
    Buffer.concat([head, pdu.data, Buffer.from([rssi & 0xff])]),
  );
};

/** One event, or several; all but the last have the status "more data to come". */
export const extendedReports = (
  pdu: AdvertisingPdu,
  rssi: number,
  unresolved?: PeerAddress,
): readonly Buffer[] => {
  const count = Math.max(1, Math.ceil(pdu.data.length / MAX_REPORTED));
  return Array.from({ length: count }, (_, index) => {
    const data = pdu.data.subarray(index * MAX_REPORTED, (index + 1) * MAX_REPORTED);
    const status = index + 1 < count ? Status.more : Status.complete;
    return extendedReport(pdu, rssi, data, status, unresolved !== undefined);
  });
};

const extendedReport = (
  pdu: AdvertisingPdu,
  rssi: number,
  data: Buffer,
  status: number,
  isUnresolved: boolean,
): Buffer => {
  const head = events.extendedAdvertisingReport.write({
    reports: 1,
    type: (pdu.properties & PROPERTIES) | (pdu.response ? SCAN_RESPONSE : 0) | status,
    addressType: pdu.from === undefined ? ANONYMOUS : typeCode(pdu.from),
    address: pdu.from?.address ?? NO_ADDRESS,
    primaryPhy: pdu.primaryPhy,
    secondaryPhy: pdu.secondaryPhy,
    advertisingSid: pdu.identifier?.sid ?? NO_SID,
    txPower: pdu.txPower ?? NO_TX_POWER,
    rssi,
    periodicInterval: 0,
    directAddressType: isUnresolved ? UNRESOLVED : typeCode(pdu.target),
    directAddress: pdu.target?.address ?? NO_ADDRESS,
    length: data.length,
  });
  return encodeLeEvent(LeSubevent.extendedAdvertisingReport, Buffer.concat([head, data]));
};
