/** A Bluetooth host of a peripheral, no more than a recorded device needs: it advertises, and has one link. */
import { Reassembly, aclHead, encodeL2cap } from '../ble/l2cap.js';
import { SmpCode } from '../ble/smp.js';
import { commandName, type CommandName, type CommandParameters } from '../../src/ble/hci/commands.js';
import {
  Channel,
  EventCode,
  LeSubevent,
  PacketType,
  encodeCommand,
  events,
} from '../../src/ble/hci/packets.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import { describeStatus } from '../../src/ble/hci/status.js';
import type { Payload } from './advertising.js';

export interface HostListener {
  readonly linkMade: () => void;
  readonly linkEnded: () => void;
  /** An ATT packet from the other side. */
  readonly receive: (pdu: Buffer) => void;
  /** The controller refused a command; a message. */
  readonly refused: (what: string) => void;
}

/** Pairing Failed, Pairing Not Supported (Core 5.4 Vol 3 Part H 3.5.5). */
const PAIRING_NOT_SUPPORTED = Buffer.from([SmpCode.pairingFailed, 0x05]);

/** All events but the enhanced ones, whose plain forms come instead. */
const EVENT_MASK = Buffer.from('FFFFFFFFFFFFFF3F', 'hex');
const LE_EVENT_MASK = Buffer.from('1F00000000000000', 'hex');

/** 100 ms, in units of 0.625 ms. */
const INTERVAL = 160;
const ALL_CHANNELS = 0b111;
/** The least length of a buffer (Core 5.4 Vol 4 Part E 7.8.2), until the controller says how long its own are. */
const SMALLEST_BUFFER = 27;

export class PeripheralHost {
  private handle: number | undefined;
  private payload: Payload | undefined;
  private advertising = false;
  private received = new Reassembly();
  private bufferLength = SMALLEST_BUFFER;

  /** `socket` does the flow control of data. */
  constructor(
    private readonly socket: HciSocket,
    private readonly listener: HostListener,
  ) {
    socket.on('data', (packet: Buffer) => this.packet(packet));
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

  close(): void {
    this.socket.removeAllListeners();
    this.socket.stop();
  }

  private command<N extends CommandName>(name: N, parameters: CommandParameters<N>): void {
    this.socket.write(encodeCommand(name, parameters));
  }

  private begin(): void {
    this.advertising = false;
    this.command('reset', {});
    this.command('setEventMask', { mask: EVENT_MASK });
    this.command('leSetEventMask', { mask: LE_EVENT_MASK });
    this.command('leReadBufferSize', {});
    this.command('leSetAdvertisingParameters', {
      ...{ intervalMin: INTERVAL, intervalMax: INTERVAL, type: 0, ownAddressType: 0 },
      ...{ peerAddressType: 0, peerAddress: '00:00:00:00:00:00', channelMap: ALL_CHANNELS, filterPolicy: 0 },
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
    else if (packet[0] === PacketType.event) this.event(packet.readUInt8(1), packet.subarray(3));
  }

  private event(code: number, body: Buffer): void {
    if (code === EventCode.commandComplete) this.completed(body.readUInt16LE(1), body.subarray(3));
    if (code === EventCode.disconnectionComplete) this.lost();
    if (code === EventCode.leMeta) this.leEvent(body.readUInt8(0), body.subarray(1));
  }

  private completed(opcode: number, returned: Buffer): void {
    const name = commandName(opcode);
    const status = returned[0] ?? 0;
    if (status !== 0) this.listener.refused(`${name ?? opcode}: ${describeStatus(status)}`);
    else if (name === 'leReadBufferSize') this.bufferLength = returned.readUInt16LE(1);
  }

  private leEvent(subevent: number, body: Buffer): void {
    if (subevent === LeSubevent.connectionComplete) {
      const { status, handle } = events.connectionComplete.read(body);
      if (status !== 0) return;
      this.handle = handle;
      this.advertising = false;
      this.listener.linkMade();
    }
    if (subevent === LeSubevent.longTermKeyRequest) {
      const { handle } = events.longTermKeyRequest.read(body);
      this.command('leLongTermKeyRequestNegativeReply', { handle });
    }
  }

  private lost(): void {
    const had = this.connected;
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
    if (channel === Channel.security && payload[0] === SmpCode.pairingRequest) {
      this.sendOn(Channel.security, PAIRING_NOT_SUPPORTED);
    }
  }

  private sendOn(channel: number, payload: Buffer): void {
    if (this.handle === undefined) return;
    const packets = encodeL2cap(this.handle, { channel, payload }, this.bufferLength);
    for (const packet of packets) this.socket.write(packet);
  }
}
