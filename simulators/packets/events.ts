import { commandName, commands } from '../../src/ble/hci/commands.js';
import { EventCode, LeSubevent, events } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import { hexBytes, hexNumber, type Layout, u16, u8 } from '../../src/bytes/index.js';
import { AdType, decodeAdvertisingData, namesIn, type AdStructure } from '../ble/advertising-data.js';
import { advertisingReports, type Report } from '../ble/advertising-reports.js';
import { UNKNOWN, gist, peerIn, type Decoded } from './commands.js';
import { isResolvable } from '../ble/device-address.js';
import { eventNames, leEventNames, opcodeText, statusText, titleOf } from './names.js';
import type { Part } from './packet.js';
import { line, numberOf, partsOf, valuesOf, type Values } from './parts.js';

const layoutsOf = (codes: Readonly<Record<string, number>>): ReadonlyMap<number, Layout<unknown>> => {
  const layouts = new Map<string, Layout<unknown>>(Object.entries(events));
  return new Map(
    Object.entries(codes).flatMap(([key, code]) => {
      const layout = layouts.get(key);
      return layout === undefined ? [] : [[code, layout]];
    }),
  );
};

const layouts = layoutsOf(EventCode);
const leLayouts = layoutsOf(LeSubevent);

/** The status of a failure; success is not mentioned. */
const failure = (values: Values): string => {
  const status = numberOf(values, 'status');
  return status === undefined || status === Status.success ? '' : `status ${statusText(status)}`;
};

const describe = (name: string, values: Values, command = '', error: string = failure(values)): Decoded => ({
  words: {
    protocol: 'hci_event',
    summary: line(name, command, gist(values), error),
    parts: partsOf(values),
  },
  handle: numberOf(values, 'handle'),
  peer: peerIn(values),
});

/** The first parameters of Command Complete (Core 5.4 Vol 4 Part E 7.7.14). */
const RETURNED_AT = 3;

const describeComplete = (body: Buffer): Decoded => {
  const opcode = u16.read(body, 1);
  const name = commandName(opcode);
  const returned = body.subarray(RETURNED_AT);
  const returns = name === undefined ? undefined : commands[name].returns;
  const values: Values =
    returns === undefined || returned.length < 1 + returns.size
      ? [['returned', returned]]
      : [['status', u8.read(returned, 0)], ...valuesOf(returns, returned.subarray(1))];
  const status: Values = returned.length === 0 ? [] : [['status', u8.read(returned, 0)]];
  return describe('Command Complete', values, opcodeText(opcode), name === undefined ? '' : failure(status));
};

const adNames = new Map<number, string>(Object.entries(AdType).map(([key, type]) => [type, titleOf(key)]));

const adPart = ({ type, value }: AdStructure): Part => ({
  name: adNames.get(type) ?? `AD type ${hexNumber(type)}`,
  value: type === AdType.completeName || type === AdType.shortName ? value.toString() : hexBytes(value),
});

const nameIn = (structures: readonly AdStructure[]): string => {
  const [name] = namesIn(structures);
  return name === undefined ? '' : `name ${name.toString()}`;
};

const reportLine = ({ address, rssi, response, data }: Report): string =>
  line(response ? 'scan response' : '', address, `${rssi} dBm`, nameIn(decodeAdvertisingData(data)));

const addressKind = ({ address, addressType: type, resolved }: Report): string =>
  resolved ? `${type} identity, resolved` : isResolvable({ address, type }) ? 'resolvable private' : type;

const reportParts = (report: Report): readonly Part[] => [
  { name: 'Address', value: `${report.address} (${addressKind(report)})` },
  { name: 'RSSI', value: `${report.rssi} dBm` },
  ...decodeAdvertisingData(report.data).map(adPart),
];

const describeReports = (name: string, reports: readonly Report[]): Decoded => ({
  words: {
    protocol: 'hci_event',
    summary: line(name, ...reports.map(reportLine)),
    parts: reports.flatMap(reportParts),
  },
  peer: reports[0]?.address,
});

const describeLeEvent = (subevent: number, body: Buffer): Decoded => {
  const name = leEventNames.get(subevent) ?? `LE event ${hexNumber(subevent)}`;
  const reports = advertisingReports(subevent, body, 0);
  if (reports.length > 0) return describeReports(name, reports);
  return describe(name, valuesOf(leLayouts.get(subevent), body, UNKNOWN));
};

/** An event in words. @throws ShortPacket if the event is cut short. */
export const describeEvent = (event: Buffer): Decoded => {
  const code = u8.read(event, 0);
  const body = event.subarray(2);
  if (code === EventCode.leMeta) return describeLeEvent(u8.read(body, 0), body.subarray(1));
  if (code === EventCode.commandComplete) return describeComplete(body);
  const values = valuesOf(layouts.get(code), body, UNKNOWN);
  const name = eventNames.get(code) ?? `event ${hexNumber(code)}`;
  const opcode = code === EventCode.commandStatus ? numberOf(values, 'opcode') : undefined;
  return describe(name, values, opcode === undefined ? '' : opcodeText(opcode));
};
