/**
 * noble, loaded on one of our sockets and patched where it would hang, leak or end the process.
 * Only this file and `notifications.ts` use noble's private members.
 * noble calls listeners while it parses a packet: a listener that does more than settle a promise is `isolated`, so that noble
 * does not take its error for an error of the packet.
 */
import console from 'node:console';
import { createRequire } from 'node:module';
import { isolated } from '../../async/defects.js';
import { requireWithStandIn, withSocket } from '../hci/stand-in.js';
import type { HciSocket } from '../hci/socket.js';
import { Status } from '../hci/status.js';
import type { Bindings, Gatt, Hci, Noble, NoblePeripheral } from './internals.js';
import { openNotifications } from './notifications.js';

/** Called with errors of noble that nothing else would catch. */
export type Warn = (message: string, error: unknown) => void;

const require = createRequire(import.meta.url);

/**
 * A new noble on `socket`, not yet started.
 * The path selects its bindings: noble itself would use other bindings on macOS and Windows.
 */
export const loadNoble = (
  socket: HciSocket,
  { device, kernel }: { readonly device: number | undefined; readonly kernel: boolean },
  warn: Warn,
): Noble => {
  // Report every packet, even without a scan response; and never use the channel on which noble reads no buffer sizes.
  process.env['NOBLE_REPORT_ALL_HCI_EVENTS'] = '1';
  delete process.env['HCI_CHANNEL_USER'];
  const load = (path: string): unknown =>
    requireWithStandIn(require.resolve(`@abandonware/noble/lib/${path}`));
  const NobleClass = load('noble.js') as new (bindings: Bindings) => Noble;
  const BindingsClass = load('hci-socket/bindings.js') as new (options: object) => Bindings;
  const bindings = withSocket(
    socket,
    () => new BindingsClass(device === undefined ? {} : { deviceId: device }),
  );
  const noble = new NobleClass(bindings);
  noble.on('warning', (message: string) => warn(message, undefined));
  patchHci(noble, socket, warn);
  if (kernel) {
    useCommandsOfLinux(bindings._hci, socket);
    dropDataOfEndedLinks(bindings._hci, warn);
  } else leaveQueueing(bindings._hci, socket);
  return noble;
};

/** The beginning of noble's messages on the console about packets that it cannot decode. */
const NOBLE_NOTE = /^(?:noble|processLe)/;

const patchHci = (noble: Noble, socket: HciSocket, warn: Warn): void => {
  const { _hci: hci } = noble._bindings;
  // noble would poll once a second for ever; the owner of the socket reports when the adapter comes and goes.
  hci.pollIsDevUp = () => {
    if (!socket.isDevUp()) return;
    hci.setSocketFilter();
    hci.setEventMask();
    hci.setLeEventMask();
    hci.readLocalVersion();
    hci.writeLeHostSupported();
    hci.readLeHostSupported();
    hci.readLeBufferSize();
    hci.readBdAddr();
  };
  const onSocketData = hci.onSocketData.bind(hci);
  const notify = openNotifications(noble);
  hci.onSocketData = (packet) => {
    if (notify(packet)) return;
    const consoleWarn = console.warn;
    console.warn = (...words: readonly unknown[]) =>
      NOBLE_NOTE.test(String(words[0])) ? warn(String(words[0]), undefined) : consoleWarn(...words);
    try {
      onSocketData(packet);
    } catch (error) {
      warn(`dropped an HCI packet that cannot be read: ${packet.toString('hex')}`, error);
    } finally {
      console.warn = consoleWarn;
    }
  };
};

/** Drops data that waits on an ended link, for which noble would reject a promise that nobody handles. */
const dropDataOfEndedLinks = (hci: Hci, warn: Warn): void => {
  const flushAcl = hci.flushAcl.bind(hci);
  hci.flushAcl = async () => {
    hci._aclQueue = hci._aclQueue.filter(({ handle }) => hci._aclConnections.has(handle));
    try {
      await flushAcl();
    } catch (error) {
      warn('dropped data of a link that has ended', error);
      if (hci._aclQueue.length > 0) await hci.flushAcl();
    }
  };
};

/** Leaves the queue of data to the socket: for each packet, noble would add up the unacknowledged data of all links. */
const leaveQueueing = (hci: Hci, socket: HciSocket): void => {
  hci.flushAcl = () => {
    for (const { handle, packet } of hci._aclQueue.splice(0))
      if (hci._aclConnections.has(handle)) socket.write(packet);
    return Promise.resolve();
  };
};

/**
 * Makes noble use extended commands where Linux does, by the same bits: Linux uses extended scanning and connecting where the
 * controller has both, and the controller refuses legacy commands from then on (Core 5.4 Vol 4 Part E 3.1.1).
 */
const useCommandsOfLinux = (hci: Hci, socket: HciSocket): void => {
  const initialise = hci.pollIsDevUp.bind(hci);
  const onCommandComplete = hci.processCmdCompleteEvent.bind(hci);
  let isPending = false;
  hci.pollIsDevUp = () => {
    if (!socket.isDevUp()) return;
    hci.setSocketFilter();
    isPending = true;
    hci.readSupportedCommands();
  };
  hci.processCmdCompleteEvent = (opcode, status, result) => {
    if (opcode !== READ_LOCAL_SUPPORTED_COMMANDS) {
      onCommandComplete(opcode, status, result);
    } else if (isPending) {
      isPending = false;
      hci._isExtended = ((result[EXTENDED_SCAN_OCTET] ?? 0) & EXTENDED_SCAN_BITS) === EXTENDED_SCAN_BITS;
      initialise();
    }
  };
};

/** The command (Core 5.4 Vol 4 Part E 7.4.2), and the bits of LE Set Extended Scan Parameters and Enable in its response (6.27). */
const READ_LOCAL_SUPPORTED_COMMANDS = 0x1002;
const EXTENDED_SCAN_OCTET = 37;
const EXTENDED_SCAN_BITS = 0x60;

/**
 * Starts noble, without its handlers that would end the whole process on SIGINT.
 * @throws the errors of the socket, such as a missing device.
 */
export const startNoble = (noble: Noble): void => {
  const onExit = new Set(process.listeners('exit'));
  Reflect.get(noble, 'state');
  process.removeListener('SIGINT', noble._bindings.onSigIntBinded);
  for (const listener of process.listeners('exit')) {
    if (!onExit.has(listener)) process.removeListener('exit', listener);
  }
};

/** Initialises an adapter that has come up; noble then emits `poweredOn`. */
export const adapterIsUp = (noble: Noble): void => noble._bindings._hci.pollIsDevUp();

/** Cancels the pending connection attempt; noble emits `connect` with an error when the controller has answered. */
export const cancelConnect = (noble: Noble, peripheral: NoblePeripheral): void =>
  noble._bindings.cancelConnect(peripheral.id);

/** Ends an attempt that the controller did not end, and for which noble would delay all others. */
export const forgetConnect = (noble: Noble): void =>
  void noble._bindings._hci.emit('leConnComplete', Status.unknownConnection);

const gattOf = ({ _noble: noble, id }: NoblePeripheral): Gatt | undefined => noble._bindings._gatts[id];

/** Calls back once the MTU has been agreed, which noble requests at the beginning of each link. */
export const onceAgreed = (peripheral: NoblePeripheral, agreed: () => void): void =>
  void gattOf(peripheral)?.once('mtu', isolated(agreed));

/** Sends a request of ATT; if the device requires pairing, noble pairs and repeats the request. `answered` is never called without a link. */
export const attRequest = (
  peripheral: NoblePeripheral,
  request: Buffer,
  answered: (response: Buffer) => void,
): void => gattOf(peripheral)?._queueCommand(request, isolated(answered));

/** Sends a command of ATT, which has no response. */
export const attCommand = (peripheral: NoblePeripheral, command: Buffer, sent: () => void): void =>
  gattOf(peripheral)?._queueCommand(command, null, isolated(sent));

/** Requests connection parameters of the controller, in the units of the Core (5.4 Vol 4 Part E 7.8.18). */
export const updateConnection = (
  { _noble: { _bindings: bindings }, id }: NoblePeripheral,
  {
    minInterval,
    maxInterval,
    latency,
    timeout,
  }: Readonly<Record<'minInterval' | 'maxInterval' | 'latency' | 'timeout', number>>,
): void => {
  const handle = bindings._handles[id];
  if (typeof handle !== 'number') return;
  bindings._hci.connUpdateLe(handle, minInterval * 1.25, maxInterval * 1.25, latency, timeout * 10);
};

/** An advertisement or a scan response as it was received. */
export interface Report {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly random: boolean;
  readonly response: boolean;
  /** AD structures. */
  readonly data: Buffer;
  /** dBm; null: unknown. */
  readonly rssi: number | null;
}

/** The event type of a scan response in a legacy report, and its bit in an extended report (Core 5.4 Vol 4 Part E 7.7.65.2 and .13). */
const SCAN_RESPONSE = 0x04;
const EXTENDED_SCAN_RESPONSE = 1 << 3;

/** Calls back for each advertising report, as long as this noble is used. */
export const onReport = ({ _bindings: { _hci: hci } }: Noble, listener: (report: Report) => void): void => {
  const report = isolated(
    (address: string, type: string, response: boolean, data: Buffer, rssi: number): void =>
      listener({
        address: address.toUpperCase(),
        ...{ random: type === 'random', response, data, rssi: strengthOf(rssi) },
      }),
  );
  hci.on(
    'leAdvertisingReport',
    (_status: number, type: number, address: string, kind: string, data: Buffer, rssi: number) =>
      report(address, kind, type === SCAN_RESPONSE, data, rssi),
  );
  hci.on(
    'leExtendedAdvertisingReport',
    (_: number, type: number, address: string, kind: string, _power: number, rssi: number, data: Buffer) =>
      report(address, kind, (type & EXTENDED_SCAN_RESPONSE) !== 0, data, rssi),
  );
};

/** Refuses all further requests of a device to pair. */
export const neverPair = (peripheral: NoblePeripheral): void => {
  const gatt = gattOf(peripheral);
  if (gatt !== undefined) gatt._security = 'medium';
};

export const findPeripheral = (noble: Noble, address: string): NoblePeripheral | undefined =>
  noble._peripherals[nobleId(address)];

/** How many devices noble remembers. */
export const peripheralCount = (noble: Noble): number => Object.keys(noble._peripherals).length;

/** Removes a device from all maps of noble, which never shrink by themselves. */
export const forgetPeripheral = (noble: Noble, address: string): void => {
  const id = nobleId(address);
  const { _bindings: bindings } = noble;
  noble._peripherals[id]?.removeAllListeners();
  const maps = [
    noble._peripherals,
    noble._services,
    noble._characteristics,
    noble._descriptors,
    noble._discoveredPeripheralUUids,
    bindings._addresses,
    bindings._addresseTypes,
    bindings._connectable,
    bindings.scannable,
  ];
  for (const map of maps) Reflect.deleteProperty(map, id);
  Reflect.deleteProperty(bindings._gap._discoveries, address.toLowerCase());
};

/** The RSSI of an adapter that cannot measure it (Core 5.4 Vol 4 Part E 7.5.4 and 7.7.65.2). */
const NO_RSSI = 127;

/** dBm; null: unknown. */
export const strengthOf = (rssi: number): number | null => (rssi === NO_RSSI ? null : rssi);

/** The HCI status in the error of a failed connect, such as `… (0x3e)`; undefined without a status. */
export const statusOf = (error: Error): number | undefined => {
  const code = /\(0x([0-9a-f]+)\)/i.exec(error.message)?.[1];
  return code === undefined ? undefined : parseInt(code, 16);
};

const nobleId = (address: string): string => address.replaceAll(':', '').toLowerCase();
