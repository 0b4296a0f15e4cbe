/** The part of bleno that a peripheral uses. bleno has one instance per process; here each peripheral has its own. */
import { createRequire } from 'node:module';
import type { EventEmitter } from 'node:events';
import { requireWithStandIn, withSocket } from '../../src/ble/hci/stand-in.js';
import { isolated } from '../../src/async/defects.js';
import { lazily } from '../../src/async/tasks.js';
import { unlessShort } from '../../src/bytes/index.js';
import {
  Channel,
  EventCode,
  LeSubevent,
  PacketType,
  encodeCommand,
  events,
} from '../../src/ble/hci/packets.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { encodeL2cap } from '../ble/l2cap.js';
import { PAIRING_NOT_SUPPORTED, SmpCode } from '../ble/smp.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import { Status } from '../../src/ble/hci/status.js';
import { withShortUuid } from './short-uuids.js';

export interface BlenoCharacteristicOptions {
  readonly uuid: string;
  readonly properties: readonly string[];
  readonly onReadRequest?: (offset: number, callback: (status: number, data?: Buffer) => void) => void;
  readonly onWriteRequest?: (
    data: Buffer,
    offset: number,
    withoutResponse: boolean,
    callback: (status: number) => void,
  ) => void;
  readonly onSubscribe?: () => void;
  readonly onUnsubscribe?: () => void;
}

export interface Bleno extends EventEmitter {
  readonly PrimaryService: new (options: { uuid: string; characteristics: readonly unknown[] }) => object;
  readonly Characteristic: new (options: BlenoCharacteristicOptions) => object;
  startAdvertisingWithEIRData(advertisement: Buffer, scanResponse: Buffer): void;
  stopAdvertising(): void;
  setServices(services: readonly object[]): void;
  disconnect(): void;
  _bindings: BlenoBindings;
}

/** The layers below bleno's interface that this file corrects. */
interface BlenoBindings extends EventEmitter {
  readonly onSigIntBinded: () => void;
  /** The link's; null for none. */
  readonly _aclStream: {
    write(channel: number, data: Buffer): void;
  } | null;
  onAclDataPkt: (handle: number, channel: number, data: Buffer) => void;
  readonly _hci: {
    _socket: HciSocket;
    /** The link's; null for none. */
    readonly _mainHandle: number | null;
    /** The length of the controller's buffers, bytes. */
    readonly _aclMtu: number;
    queueAclDataPkt: (handle: number, channel: number, data: Buffer) => void;
    pollIsDevUp: () => void;
    onSocketData: (packet: Buffer) => void;
    setSocketFilter: () => void;
    initDev: () => void;
    setAdvertisingParameters: () => void;
    /** Advertised data may be replaced at any time (Core 5.4 Vol 4 Part E 7.8.7, 7.8.8). */
    setAdvertisingData(data: Buffer): void;
    setScanResponseData(data: Buffer): void;
  } & EventEmitter;
  readonly _gatt: {
    /** The largest ATT_MTU for a central. */
    maxMtu: number;
    /** The link's. */
    readonly _mtu: number;
    readonly _handles: readonly (
      | { readonly attribute?: object; readonly uuid?: string; readonly valueHandle?: number; value?: Buffer }
      | undefined
    )[];
  };
}

/** Variables that bleno reads: the GAP device name when it sets services, the interval when it sets up advertising. */
const NAME_VARIABLE = 'BLENO_DEVICE_NAME';
const INTERVAL_VARIABLE = 'BLENO_ADVERTISING_INTERVAL';

const withVariable = (name: string, value: string, run: () => void): void => {
  const previous = process.env[name];
  process.env[name] = value;
  run();
  if (previous === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = previous;
};

const require = createRequire(import.meta.url);

const load = (module: string): unknown =>
  requireWithStandIn(require.resolve(`@abandonware/bleno/lib/${module}.js`));

/** Devices on bleno do not pair: its pairing has no bonds, swaps the addresses, and reports failures with another command's code. */
const refusePairing = (bindings: BlenoBindings): void => {
  const onData = bindings.onAclDataPkt.bind(bindings);
  bindings.onAclDataPkt = (handle, channel, data) => {
    if (channel !== Channel.security) onData(handle, channel, data);
    else if (data[0] === SmpCode.pairingRequest) bindings._aclStream?.write(channel, PAIRING_NOT_SUPPORTED);
  };
};

/** bleno leaves a Long Term Key Request to the kernel; without an answer, the central would wait for ever. */
const refuseKey = (socket: HciSocket, packet: Buffer): void => {
  const isRequest =
    packet[0] === PacketType.event &&
    packet[1] === EventCode.leMeta &&
    packet[3] === LeSubevent.longTermKeyRequest;
  if (!isRequest) return;
  const { handle } = events.longTermKeyRequest.read(packet.subarray(4));
  socket.write(encodeCommand('leLongTermKeyRequestNegativeReply', { handle }));
};

/** The socket queues data until the controller has room; bleno need not count the packets on their way. */
const leaveQueueing = (hci: BlenoBindings['_hci'], socket: HciSocket): void => {
  hci.queueAclDataPkt = (handle, channel, data) => {
    const packets = encodeL2cap(handle, { channel, payload: data }, hci._aclMtu);
    for (const packet of packets) socket.write(packet);
  };
};

const shortenUuids = (bindings: BlenoBindings): void => {
  const onData = bindings.onAclDataPkt.bind(bindings);
  bindings.onAclDataPkt = (handle, channel, data) =>
    onData(handle, channel, channel === Channel.att ? withShortUuid(data) : data);
};

/** Opcode and handle (Core 5.4 Vol 3 Part F 3.4.7.1). */
const NOTIFICATION_HEADER = 3;

/** Notifies values of `characteristic` on the link. bleno itself would format debug output twice for each, even without a reader. */
export const notifierOf = (
  { _bindings: bindings }: Bleno,
  characteristic: object,
): ((value: Buffer) => void) => {
  const { _gatt: gatt } = bindings;
  const handle = gatt._handles.find((entry) => entry?.attribute === characteristic)?.valueHandle ?? 0;
  return (value) => {
    const length = Math.min(value.length, gatt._mtu - NOTIFICATION_HEADER);
    const notification = Buffer.allocUnsafe(NOTIFICATION_HEADER + length);
    notification.writeUInt8(AttOpcode.handleValueNotification, 0);
    notification.writeUInt16LE(handle, 1);
    value.copy(notification, NOTIFICATION_HEADER, 0, length);
    bindings._aclStream?.write(Channel.att, notification);
  };
};

/** Gives a bleno separate bindings, and moves its listeners to them: bleno takes the bindings that a process shares. */
const separate = (bleno: Bleno, shared: EventEmitter, bindings: BlenoBindings): void => {
  for (const event of shared.eventNames())
    for (const listener of shared.listeners(event)) bindings.on(event, listener as () => void);
  shared.removeAllListeners();
  bleno._bindings = bindings;
};

/** The modules that all blenos of a process share. */
const modules = lazily(() => {
  // Opens a separate socket, to Linux' management channel, when it is first loaded.
  load('hci-socket/mgmt');
  const shared = load('hci-socket/bindings') as BlenoBindings;
  const BindingsClass = shared.constructor as new () => BlenoBindings;
  const BlenoClass = load('bleno') as new () => Bleno;
  return { shared, BindingsClass, BlenoClass };
});

/** A separate, running bleno on `socket`, without timers or listeners on the process. It advertises each `intervalMs`. */
export const loadBleno = (socket: HciSocket, intervalMs: number): Bleno => {
  const { shared, BindingsClass, BlenoClass } = modules();
  const bleno = new BlenoClass();
  separate(
    bleno,
    shared,
    withSocket(socket, () => new BindingsClass()),
  );
  const hci = bleno._bindings._hci;
  refusePairing(bleno._bindings);
  leaveQueueing(hci, socket);
  const setParameters = hci.setAdvertisingParameters.bind(hci);
  hci.setAdvertisingParameters = () => withVariable(INTERVAL_VARIABLE, String(intervalMs), setParameters);
  shortenUuids(bleno._bindings);
  // A packet that a fault has cut short would end the whole process.
  const receive = hci.onSocketData.bind(hci);
  hci.onSocketData = (packet) => {
    try {
      receive(packet);
    } catch (error) {
      // Node throws it where bleno reads past the end: all callbacks are `isolated`.
      if (!(error instanceof RangeError)) throw error;
    }
    unlessShort(() => refuseKey(socket, packet));
  };
  // bleno would poll once a second for ever; sockets here report when the controller comes and goes.
  hci.pollIsDevUp = () => {
    if (!socket.isDevUp()) {
      // The link was lost with the power, and no event reports it.
      if (hci._mainHandle !== null) hci.emit('disconnComplete', hci._mainHandle, Status.connectionTimeout);
      hci.emit('stateChange', 'poweredOff');
      return;
    }
    hci.setSocketFilter();
    hci.initDev();
  };
  socket.on('up', hci.pollIsDevUp);
  socket.on('down', hci.pollIsDevUp);
  return bleno;
};

/** Starts bleno's work without the handlers by which it would end the whole process on SIGINT. */
export const initialise = (bleno: Bleno, onState: (state: string) => void): void => {
  const onExit = new Set(process.listeners('exit'));
  bleno.on('stateChange', isolated(onState));
  process.removeListener('SIGINT', bleno._bindings.onSigIntBinded);
  for (const listener of process.listeners('exit')) {
    if (!onExit.has(listener)) process.removeListener('exit', listener);
  }
};

/** GAP Appearance, and its value "unknown" (Core 5.4 Vol 3 Part C 12.2): the values of real dice and clocks are not known. */
const APPEARANCE = '2a01';
const UNKNOWN = Buffer.alloc(2);

/** Sets the GATT table, with `name` as the GAP device name. bleno's appearance would be a computer. */
export const setServices = (bleno: Bleno, name: string, services: readonly object[]): void => {
  withVariable(NAME_VARIABLE, name, () => bleno.setServices(services));
  const handles = bleno._bindings._gatt._handles;
  const value = handles[handles.find((entry) => entry?.uuid === APPEARANCE)?.valueHandle ?? 0];
  if (value !== undefined) value.value = UNKNOWN;
};
