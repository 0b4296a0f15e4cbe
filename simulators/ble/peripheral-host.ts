/** A Bluetooth host of a peripheral: it advertises, and has one link, for ATT and for pairing. */
import { isolated } from '../../src/async/defects.js';
import { u16, u8, unlessShort } from '../../src/bytes/index.js';
import { reversed } from './aes.js';
import { Reassembly, aclHead, encodeL2cap } from './l2cap.js';
import { PAIRING_NOT_SUPPORTED, SmpCode } from './smp.js';
import { commandName, type CommandName, type CommandParameters } from '../../src/ble/hci/commands.js';
import {
  Channel,
  EventCode,
  LeSubevent,
  PacketType,
  encodeCommand,
  events,
  type DeviceAddress,
} from '../../src/ble/hci/packets.js';
import { LinkLog, type ReportedLink } from '../../src/ble/hci/link-log.js';
import { SignalCode } from '../../src/ble/hci/l2cap-signaling.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import { Status, describeStatus } from '../../src/ble/hci/status.js';

/** The data on the air at one time, AD structures of at most 31 bytes each. */
export interface Payload {
  readonly advertisement: Buffer;
  readonly scanResponse: Buffer;
}

/** Pairing and keys, for a device that may pair. */
export interface SecurityListener {
  /** A command of the Security Manager. */
  readonly receive: (pdu: Buffer) => void;
  /** The key by this name; undefined: there is none. */
  readonly longTermKey: (random: Buffer, diversifier: number) => Buffer | undefined;
  /** The link is encrypted with that key. */
  readonly encrypted: () => void;
}

export interface HostListener {
  /** `own`: the private address of the device, if it has one. */
  readonly linkMade: (central: DeviceAddress, own: DeviceAddress | undefined) => void;
  readonly linkEnded: () => void;
  /** An ATT packet from the other side. */
  readonly receive: (pdu: Buffer) => void;
  /** The controller refused a command; a message. */
  readonly refused: (what: string) => void;
  /** Without it, hosts that want to pair get Pairing Not Supported. */
  readonly security?: SecurityListener;
}

export interface AdvertisingSettings {
  /** From one advertisement to the next, ms, 20 to 10,240. */
  readonly intervalMs: number;
  readonly type: AdvertisingType;
  /** It advertises by private addresses that are made with this key, the most significant octet first; each for so long. */
  readonly privacy?: { readonly identityKey: Buffer; readonly timeoutSecs: number };
}

/** ADV_IND, ADV_SCAN_IND and ADV_NONCONN_IND (Core 5.4 Vol 4 Part E 7.8.5): all but the first accept no link. */
const advertisingTypes = { connectable: 0x00, scannable: 0x02, plain: 0x03 } as const;
export type AdvertisingType = keyof typeof advertisingTypes;

/** All events; the enhanced ones, which come in the place of plain ones, where private addresses are. */
const EVENT_MASK = Buffer.from('FFFFFFFFFFFFFF3F', 'hex');
const LE_EVENT_MASK = Buffer.from('1F00000000000000', 'hex');
const ENHANCED_LE_EVENT_MASK = Buffer.from('1F02000000000000', 'hex');

/** The peer whose entry in the resolving list has the key for undirected advertising. */
const NOBODY = '00:00:00:00:00:00';
const NO_KEY = Buffer.alloc(16);

/** Of Own_Address_Type: made by the controller, else the public one (Core 5.4 Vol 4 Part E 7.8.5). */
const OWN_PRIVATE = 0x02;

const USUAL: AdvertisingSettings = { intervalMs: 100, type: 'connectable' };

/** Advertising intervals are in units of so many milliseconds. */
const INTERVAL_UNIT_MS = 0.625;
const ALL_CHANNELS = 0b111;
/** The least length of a buffer (Core 5.4 Vol 4 Part E 7.8.2), until the controller says how long its own are. */
const SMALLEST_BUFFER = 27;

/** Code, identifier and length of a signalling packet. */
const SIGNAL_HEADER = 4;
/** Signals that have no answer: responses, and credits (Core 5.4 Vol 3 Part A 4). */
const UNANSWERED: ReadonlySet<number> = new Set([
  SignalCode.commandReject,
  SignalCode.disconnectionResponse,
  SignalCode.connectionParameterUpdateResponse,
  SignalCode.leCreditBasedConnectionResponse,
  SignalCode.flowControlCreditIndication,
  SignalCode.creditBasedConnectionResponse,
  SignalCode.creditBasedReconfigureResponse,
]);
/** The reason of a Command Reject: command not understood. */
const NOT_UNDERSTOOD = [0, 0];

export class PeripheralHost {
  private readonly links = new LinkLog((link) => link);
  private handle: number | undefined;
  private payload: Payload | undefined;
  private advertising = false;
  private received = new Reassembly();
  private bufferLength = SMALLEST_BUFFER;
  /** Resolves when it advertises for the first time. */
  readonly ready: Promise<void>;
  private isReady = (): void => undefined;

  /** `socket` does the flow control of data. */
  constructor(
    private readonly socket: HciSocket,
    private readonly listener: HostListener,
    private readonly settings = USUAL,
  ) {
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    const take = isolated((packet: Buffer) => unlessShort(() => this.packet(packet)));
    socket.on('data', take);
    socket.on('up', () => this.begin());
    socket.on('down', () => this.lost());
    socket.start();
    this.begin();
  }

  get connected(): boolean {
    return this.handle !== undefined;
  }

  /** Advertises this from now on, and again after each link. */
  advertise(payload: Payload): void {
    this.payload = payload;
    const padded = (data: Buffer) => ({ length: data.length, data });
    this.command('leSetAdvertisingData', padded(payload.advertisement));
    this.command('leSetScanResponseData', padded(payload.scanResponse));
    this.enable();
  }

  /** Sends an ATT packet; without a link it is dropped. */
  send(pdu: Buffer): void {
    this.sendOn(Channel.att, pdu);
  }

  /** Sends a command of the Security Manager; without a link it is dropped. */
  sendSecurity(pdu: Buffer): void {
    this.sendOn(Channel.security, pdu);
  }

  /** Ends the link, if there is one. */
  disconnect(): void {
    if (this.handle === undefined) return;
    this.command('disconnect', { handle: this.handle, reason: Status.remoteUserTerminated });
  }

  close(): void {
    this.socket.removeAllListeners();
    this.socket.stop();
  }

  private command<N extends CommandName>(name: N, parameters: CommandParameters<N>): void {
    this.socket.write(encodeCommand(name, parameters));
  }

  private begin(): void {
    const { intervalMs, type, privacy } = this.settings;
    const interval = Math.round(intervalMs / INTERVAL_UNIT_MS);
    this.advertising = false;
    this.command('reset', {});
    this.command('setEventMask', { mask: EVENT_MASK });
    this.command('leSetEventMask', { mask: privacy === undefined ? LE_EVENT_MASK : ENHANCED_LE_EVENT_MASK });
    this.command('leReadBufferSize', {});
    if (privacy !== undefined) {
      this.command('leSetResolvableAddressTimeout', { timeout: privacy.timeoutSecs });
      this.command('leAddToResolvingList', {
        ...{ peerIdentityAddressType: 0, peerIdentityAddress: NOBODY, peerIrk: NO_KEY },
        localIrk: reversed(privacy.identityKey),
      });
    }
    this.command('leSetAdvertisingParameters', {
      ...{
        intervalMin: interval,
        intervalMax: interval,
        ownAddressType: privacy === undefined ? 0 : OWN_PRIVATE,
      },
      type: advertisingTypes[type],
      ...{ peerAddressType: 0, peerAddress: NOBODY, channelMap: ALL_CHANNELS, filterPolicy: 0 },
    });
    if (this.payload !== undefined) this.advertise(this.payload);
  }

  private enable(): void {
    if (this.advertising || this.connected) return;
    this.advertising = true;
    this.command('leSetAdvertisingEnable', { enable: 1 });
  }

  private packet(packet: Buffer): void {
    if (packet[0] === PacketType.acl) this.data(packet);
    else if (packet[0] === PacketType.event) this.event(packet.subarray(1));
  }

  private event(event: Buffer): void {
    const [code, body] = [u8.read(event, 0), event.subarray(2)];
    if (code === EventCode.commandComplete) this.completed(u16.read(body, 1), body.subarray(3));
    // Also if the event is cut short: the host has one link.
    if (code === EventCode.disconnectionComplete) this.lost();
    const { begun } = this.links.take(event);
    if (begun !== undefined) this.linkMade(begun);
    if (code === EventCode.encryptionChange || code === EventCode.encryptionKeyRefreshComplete) {
      if (u8.read(body, 0) === Status.success) this.listener.security?.encrypted();
    }
    if (code === EventCode.leMeta) this.leEvent(u8.read(body, 0), body.subarray(1));
  }

  private completed(opcode: number, returned: Buffer): void {
    const name = commandName(opcode);
    const status = returned[0] ?? 0;
    if (status !== 0) this.listener.refused(`${name ?? opcode}: ${describeStatus(status)}`);
    else if (name === 'leSetAdvertisingEnable') this.isReady();
    else if (name === 'leReadBufferSize') this.bufferLength = u16.read(returned, 1);
  }

  private leEvent(subevent: number, body: Buffer): void {
    if (subevent === LeSubevent.longTermKeyRequest) {
      const { handle, random, encryptedDiversifier } = events.longTermKeyRequest.read(body);
      const longTermKey = this.listener.security?.longTermKey(random, encryptedDiversifier);
      if (longTermKey === undefined) this.command('leLongTermKeyRequestNegativeReply', { handle });
      else this.command('leLongTermKeyRequestReply', { handle, longTermKey });
    }
  }

  private linkMade({ handle, peer, privateAddress }: ReportedLink): void {
    this.handle = handle;
    this.advertising = false;
    this.listener.linkMade(peer, privateAddress);
  }

  private lost(): void {
    const had = this.connected;
    this.links.clear();
    this.handle = undefined;
    this.received = new Reassembly();
    if (had) this.listener.linkEnded();
    if (this.socket.isDevUp() && this.payload !== undefined) this.enable();
  }

  private data(packet: Buffer): void {
    const { continues } = aclHead(packet.subarray(1));
    const { channel, payload } = this.received.take(packet.subarray(5), continues) ?? {};
    if (payload === undefined || payload.length === 0) return;
    if (channel === Channel.att) this.listener.receive(payload);
    if (channel === Channel.signalling) this.reject(payload);
    if (channel !== Channel.security) return;
    if (this.listener.security !== undefined) this.listener.security.receive(payload);
    else if (payload[0] === SmpCode.pairingRequest) this.sendSecurity(PAIRING_NOT_SUPPORTED);
  }

  /** It knows no request of L2CAP: each is rejected, and responses are ignored (Core 5.4 Vol 3 Part A 4.1). */
  private reject(signal: Buffer): void {
    const [code = 0, identifier = 0] = signal;
    if (signal.length < SIGNAL_HEADER || UNANSWERED.has(code)) return;
    this.sendOn(Channel.signalling, Buffer.of(SignalCode.commandReject, identifier, 2, 0, ...NOT_UNDERSTOOD));
  }

  private sendOn(channel: number, payload: Buffer): void {
    if (this.handle === undefined) return;
    const packets = encodeL2cap(this.handle, { channel, payload }, this.bufferLength);
    for (const packet of packets) this.socket.write(packet);
  }
}
