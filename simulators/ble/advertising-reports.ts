/** Advertising reports of both forms, as a controller sends them to its host. */
import { i8, u8 } from '../../src/bytes/index.js';
import { LeSubevent, events } from '../../src/ble/hci/packets.js';

export interface Report {
  readonly address: string;
  readonly addressType: 'public' | 'random';
  /** Whether the controller has resolved a private address: `address` is the identity. */
  readonly resolved: boolean;
  /** Whether it is a scan response, not an advertisement. */
  readonly response: boolean;
  /** AD structures. A view of the event: copy them to keep them. */
  readonly data: Buffer;
  /** dBm; 127: not known. */
  readonly rssi: number;
  /** Whether more of the data follows in the next report. */
  readonly more: boolean;
  /** Milliseconds. */
  readonly at: number;
}

/** Event type of a scan response in a legacy report (Core 5.4 Vol 4 Part E 7.7.65.2). */
const SCAN_RESPONSE = 0x04;

/** In an extended report (7.7.65.13): bit 3 a scan response, bits 5 and 6 the data status, of which 1 is "more to come". */
const EXTENDED_SCAN_RESPONSE = 1 << 3;
const MORE_TO_COME = 1;

/** Address types of identities, public and random. */
const IDENTITIES: readonly number[] = [2, 3];

const addressTypeOf = (type: number): Report['addressType'] => ((type & 1) === 0 ? 'public' : 'random');

/** A legacy report ends with the signal strength. */
const RSSI = 1;

const UNKNOWN_RSSI = 127;

const legacyRssi = (body: Buffer, at: number): number =>
  at < body.length ? i8.read(body, at) : UNKNOWN_RSSI;

/**
 * The reports of an LE Meta event, none for other events. Several reports follow each other, each whole.
 * @throws ShortPacket if the event is shorter than it says.
 */
export const advertisingReports = (subevent: number, body: Buffer, at: number): readonly Report[] => {
  const extended = subevent === LeSubevent.extendedAdvertisingReport;
  if (!extended && subevent !== LeSubevent.advertisingReport) return [];
  const form = extended ? events.extendedAdvertisingReport : events.advertisingReport;
  const reports: Report[] = [];
  // The layouts begin with the number of reports, which the event has only once.
  let offset = 0;
  for (let left = u8.read(body, 0); left > 0; left -= 1) {
    const { type, addressType, address, length } = form.read(body.subarray(offset));
    const end = offset + form.size + length;
    const data = body.subarray(offset + form.size, end);
    reports.push({
      address,
      addressType: addressTypeOf(addressType),
      resolved: IDENTITIES.includes(addressType),
      response: extended ? (type & EXTENDED_SCAN_RESPONSE) !== 0 : type === SCAN_RESPONSE,
      data,
      rssi: extended
        ? events.extendedAdvertisingReport.read(body.subarray(offset)).rssi
        : legacyRssi(body, end),
      more: extended && ((type >> 5) & 0b11) === MORE_TO_COME,
      at,
    });
    offset = end - 1 + (extended ? 0 : RSSI);
  }
  return reports;
};
