/** A fleet as lines of text that fit a terminal. */
import { printable } from '../output/print.js';
import type { FleetReport } from '../../mqtt/observer.js';

interface ViewOptions {
  /** The size of the terminal; Infinity without one. */
  readonly columns: number;
  readonly rows: number;
  readonly ofServers: boolean;
}

/** Rows with aligned columns; `printable`, since names come from the network. */
export const table = (texts: readonly (readonly string[])[]): readonly string[] => {
  const rows = texts.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

type Device = FleetReport['devices'][number];
type Server = FleetReport['servers'][number];

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The servers that hear a device, the best first, as many as fit `width`, and the number of further servers. */
const hearers = ({ heard }: Device, width: number): string => {
  const all = heard.map(({ server, rssi }) => printable(`${server} ${rssi}`));
  for (let shown = all.length; shown > 0; shown--) {
    const others = all.length - shown;
    const text = `${all.slice(0, shown).join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
    if (text.length <= width || shown === 1) return text;
  }
  return '';
};

const DEVICE_COLUMNS = ['DEVICE', 'KIND', 'SERVER', 'AVAILABILITY'];

const cellsOf = ({ address, label, kind, server, availability }: Device): readonly string[] => [
  ...[label === null ? address : `${address} ${label}`, kind, server ?? '-', availability],
];

const deviceLines = (devices: readonly Device[], columns: number): readonly string[] => {
  const before = table([DEVICE_COLUMNS, ...devices.map(cellsOf)]);
  const width = columns - Math.max(...before.map(({ length }) => length)) - 2;
  return table([
    [...DEVICE_COLUMNS, 'HEARD BY, dBm'],
    ...devices.map((device) => [...cellsOf(device), hearers(device, width)]),
  ]);
};

const serverLines = ({ servers, devices }: FleetReport): readonly string[] =>
  table([
    ['SERVER', 'KIND', 'STATUS', 'HAS', 'HEARS'],
    ...servers.map(({ name, kind, status }) => {
      const ofKind = devices.filter((device) => device.kind === kind);
      const own = ofKind.filter(({ server }) => server === name).length;
      const isHeard = ({ heard }: Device): boolean => heard.some(({ server }) => server === name);
      // A device that two servers have is there twice.
      const inRange = new Set(ofKind.filter(isHeard).map(({ address }) => address)).size;
      return [name, kind, status, String(own), String(inRange)];
    }),
  ]);

/** The first lines that fit, and the number of further lines. */
const cut = (lines: readonly string[], room: number): readonly string[] => {
  if (lines.length <= room) return lines;
  const shown = Math.max(1, room - 1);
  return [...lines.slice(0, shown), `… and ${lines.length - shown} more: --match TEXT shows some of them`];
};

const summary = ({ servers, devices }: FleetReport): string => {
  const online = servers.filter(({ status }) => status === 'online').length;
  const addresses = new Set(devices.map(({ address }) => address));
  return `${plural(servers.length, 'server')}, ${online} online; ${plural(addresses.size, 'device')}`;
};

export const fleetView = (
  report: FleetReport,
  { columns, rows, ofServers }: ViewOptions,
): readonly string[] => {
  const lines = ofServers ? serverLines(report) : deviceLines(report.devices, columns);
  // One row is the summary, one is empty, one is for the cursor.
  const shown = [summary(report), '', ...cut(lines, rows - 3)];
  return shown.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
};

/** The servers and devices with a text in their lines, regardless of case. */
export const matching = ({ servers, devices, fits }: FleetReport, text: string): FleetReport => {
  const part = text.toLowerCase();
  const has = (parts: readonly (string | null)[]): boolean =>
    parts.some((cell) => cell?.toLowerCase().includes(part));
  const ofServer = ({ name, kind, status }: Server): boolean => has([name, kind, status]);
  const ofDevice = ({ address, label, kind, server, availability, heard }: Device): boolean =>
    has([address, label, kind, server, availability, ...heard.map((hearer) => hearer.server)]);
  return { servers: servers.filter(ofServer), devices: devices.filter(ofDevice), fits };
};
