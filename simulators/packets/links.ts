/** The controllers and connections of a trace, by its records. */
import { Channel, EventCode, LeSubevent, PacketType, events } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import { address as addressField, unlessShort, u8 } from '../../src/bytes/index.js';
import { AttOpcode, COMMAND_BIT } from '../../src/ble/hci/att.js';
import { learn, type Found } from '../ble/attributes.js';
import { Reassembly, aclHead, type L2capPacket } from '../ble/l2cap.js';
import { Kind, packetKinds } from '../radio/medium/monitor.js';
import type { TraceRecord } from '../radio/medium/trace.js';

/** An ATT PDU with its request. */
export interface Exchange {
  readonly pdu: Buffer;
  /** To which it responds. */
  readonly request: Buffer | undefined;
  /** Of the server, as far as discovery has shown them. */
  readonly attributes: Found | undefined;
}

/** The two sides of a link, as the trace of one controller has them. */
type Side = 'host' | 'peer';
const other = { host: 'peer', peer: 'host' } as const;

interface Link {
  /** The address of the other side; undefined: it was made before the trace begins. */
  readonly peer: string | undefined;
  /** By the side that sends. */
  readonly pending: Readonly<Record<Side, Reassembly>>;
  readonly requests: Map<Side, Buffer>;
  /** By the side that has them. */
  readonly attributes: Readonly<Record<Side, Found>>;
}

/** The context of a record. */
export interface Context {
  /** The name of the controller. */
  readonly adapter: string | undefined;
  readonly peer: string | undefined;
  /** Of ACL data. */
  readonly handle: number | undefined;
  /** The L2CAP packet that it completes. */
  readonly packet: L2capPacket | undefined;
  /** Of an L2CAP packet that is not whole: the bytes that are there, and those that it has. */
  readonly partial: { readonly arrived: number; readonly length: number | undefined } | undefined;
  readonly exchange: Exchange | undefined;
}

const NOTHING: Context = {
  ...{ adapter: undefined, peer: undefined, handle: undefined },
  ...{ packet: undefined, partial: undefined, exchange: undefined },
};

const made: readonly number[] = [LeSubevent.connectionComplete, LeSubevent.enhancedConnectionComplete];
const unsolicited: readonly number[] = [
  AttOpcode.handleValueNotification,
  AttOpcode.handleValueIndication,
  AttOpcode.handleValueConfirmation,
];

/** A controller by its name; one that is named after its address, of which a trace keeps the beginning, by that. */
const adapterName = (newIndex: Buffer): string => {
  const address = addressField.read(newIndex, 2);
  const name = newIndex.toString('utf8', 8).replace(/\0.*$/, '');
  return address.startsWith(name) ? address : name;
};

export class Links {
  private readonly adapters = new Map<number, string>();
  private readonly open = new Map<string, Link>();
  /** By controller and peer: hosts may know them from an earlier link. */
  private readonly attributes = new Map<string, Link['attributes']>();

  /** Records must be taken in their order. */
  take(record: TraceRecord): Context {
    const { index, kind, body } = record;
    let context = NOTHING;
    unlessShort(() => {
      if (kind === Kind.newIndex) this.adapters.set(index, adapterName(body));
      if (kind === Kind.event) context = this.event(index, body);
      if (packetKinds[kind]?.type === PacketType.acl) context = this.data(record);
    });
    return { ...context, adapter: this.adapters.get(index) };
  }

  /** The address of the other side. */
  peerOf(index: number, handle: number): string | undefined {
    return this.open.get(`${index}/${handle}`)?.peer;
  }

  private event(index: number, event: Buffer): Context {
    const code = u8.read(event, 0);
    if (code === EventCode.leMeta && made.includes(u8.read(event, 2))) {
      // Both begin with the same fields.
      const { status, handle, peerAddress } = events.connectionComplete.read(event.subarray(3));
      if (status === Status.success) this.begin(index, handle, peerAddress);
    }
    if (code !== EventCode.disconnectionComplete) return NOTHING;
    const { status, handle } = events.disconnectionComplete.read(event.subarray(2));
    const peer = this.peerOf(index, handle);
    if (status === Status.success) this.open.delete(`${index}/${handle}`);
    return { ...NOTHING, peer };
  }

  private begin(index: number, handle: number, peer: string | undefined): Link {
    const key = `${index}/${peer ?? handle}`;
    const attributes = this.attributes.get(key) ?? { host: new Map(), peer: new Map() };
    this.attributes.set(key, attributes);
    const link = {
      peer,
      pending: { host: new Reassembly(), peer: new Reassembly() },
      requests: new Map<Side, Buffer>(),
      attributes,
    };
    this.open.set(`${index}/${handle}`, link);
    return link;
  }

  private data({ index, kind, body }: TraceRecord): Context {
    const { handle, continues } = aclHead(body);
    const link = this.open.get(`${index}/${handle}`) ?? this.begin(index, handle, undefined);
    const side = kind === Kind.aclFromHost ? 'host' : 'peer';
    const pending = link.pending[side];
    const packet = pending.take(body.subarray(4), continues);
    const { arrived, length } = pending;
    const known = { ...NOTHING, peer: link.peer, handle };
    if (packet === undefined) return { ...known, partial: { arrived, length } };
    const isAtt = packet.channel === Channel.att && packet.payload.length > 0;
    return { ...known, packet, exchange: isAtt ? exchangeOf(link, side, packet.payload) : undefined };
  }
}

/** Remembers requests, and learns of their responses. */
const exchangeOf = ({ requests, attributes }: Link, side: Side, pdu: Buffer): Exchange => {
  const opcode = u8.read(pdu, 0);
  // PDUs of a server have odd opcodes.
  const isOfServer = opcode % 2 === 1;
  const found = attributes[isOfServer ? side : other[side]];
  if (unsolicited.includes(opcode) || (opcode & COMMAND_BIT) !== 0)
    return { pdu, request: undefined, attributes: found };
  if (!isOfServer) {
    requests.set(side, pdu);
    return { pdu, request: undefined, attributes: found };
  }
  const request = requests.get(other[side]);
  requests.delete(other[side]);
  if (request !== undefined) unlessShort(() => learn(found, request, pdu));
  return { pdu, request, attributes: found };
};
