/** The controllers and connections of a trace, by its records. */
import { LinkLog } from '../../src/ble/hci/link-log.js';
import { Channel, PacketType } from '../../src/ble/hci/packets.js';
import { address as addressField, unlessShort, u8 } from '../../src/bytes/index.js';
import { AttOpcode, COMMAND_BIT } from '../../src/ble/hci/att.js';
import { learn, type AttributeMap } from '../ble/attributes.js';
import { Reassembly, aclHead, type L2capPacket } from '../ble/l2cap.js';
import { Kind, packetKinds } from '../radio/medium/monitor.js';
import type { TraceRecord } from '../radio/medium/trace.js';

/** An ATT PDU with its request. */
export interface Exchange {
  readonly pdu: Buffer;
  /** The request that the PDU answers. */
  readonly request: Buffer | undefined;
  /** The server's attributes, as far as discovery has shown them. */
  readonly attributes: AttributeMap | undefined;
}

/** The two sides of a link in the trace of a controller. */
type Side = 'host' | 'peer';
const other = { host: 'peer', peer: 'host' } as const;

interface Link {
  /** The address of the other side; undefined if the link is older than the trace. */
  readonly peer: string | undefined;
  /** Incomplete packets by their sender. */
  readonly pending: Readonly<Record<Side, Reassembly>>;
  readonly requests: Map<Side, Buffer>;
  /** Attributes by the side of their server. */
  readonly attributes: Readonly<Record<Side, AttributeMap>>;
}

/** The context of a record. */
export interface Context {
  /** The name of the controller. */
  readonly adapter: string | undefined;
  readonly peer: string | undefined;
  /** The handle of ACL data. */
  readonly handle: number | undefined;
  /** The L2CAP packet that the record completes. */
  readonly packet: L2capPacket | undefined;
  /** An incomplete L2CAP packet: the bytes that have arrived, and its length. */
  readonly partial: { readonly arrived: number; readonly length: number | undefined } | undefined;
  readonly exchange: Exchange | undefined;
}

const NOTHING: Context = {
  ...{ adapter: undefined, peer: undefined, handle: undefined },
  ...{ packet: undefined, partial: undefined, exchange: undefined },
};

const unsolicited: readonly number[] = [
  AttOpcode.handleValueNotification,
  AttOpcode.handleValueIndication,
  AttOpcode.handleValueConfirmation,
];

/** The name of a controller, or its address if the name is the kept beginning of the address. */
const adapterName = (newIndex: Buffer): string => {
  const address = addressField.read(newIndex, 2);
  const name = newIndex.toString('utf8', 8).replace(/\0.*$/, '');
  return address.startsWith(name) ? address : name;
};

export class Links {
  private readonly adapters = new Map<number, string>();
  private readonly open = new LinkLog(({ peer: { address } }, index) =>
    this.newLink(`${index}/${address}`, address),
  );
  /** Keys are controller and peer, or the handle of an unknown peer: a host may know the attributes from an earlier link. */
  private readonly attributes = new Map<string, Link['attributes']>();

  /** Takes the next record of the trace. */
  take(record: TraceRecord): Context {
    const { index, kind, body } = record;
    let context = NOTHING;
    unlessShort(() => {
      if (kind === Kind.newIndex) this.adapters.set(index, adapterName(body));
      if (kind === Kind.event) context = { ...NOTHING, peer: this.open.take(body, index).ended?.peer };
      if (packetKinds[kind]?.type === PacketType.acl) context = this.data(record);
    });
    return { ...context, adapter: this.adapters.get(index) };
  }

  /** The address of the other side. */
  peerOf(index: number, handle: number): string | undefined {
    return this.open.get(handle, index)?.peer;
  }

  private newLink(key: string, peer: string | undefined): Link {
    const attributes = this.attributes.get(key) ?? { host: new Map(), peer: new Map() };
    this.attributes.set(key, attributes);
    const pending = { host: new Reassembly(), peer: new Reassembly() };
    return { peer, pending, requests: new Map(), attributes };
  }

  /** The link of a data packet; its beginning may be missing in the trace. */
  private linkOf(index: number, handle: number): Link {
    const link = this.open.get(handle, index) ?? this.newLink(`${index}/${handle}`, undefined);
    this.open.add(link, handle, index);
    return link;
  }

  private data({ index, kind, body }: TraceRecord): Context {
    const { handle, continues } = aclHead(body);
    const link = this.linkOf(index, handle);
    const side = kind === Kind.aclFromHost ? 'host' : 'peer';
    const pending = link.pending[side];
    const packet = pending.take(body.subarray(4), continues);
    const { arrived, length } = pending;
    const context = { ...NOTHING, peer: link.peer, handle };
    if (packet === undefined) return { ...context, partial: { arrived, length } };
    const isAtt = packet.channel === Channel.att && packet.payload.length > 0;
    return { ...context, packet, exchange: isAtt ? exchangeOf(link, side, packet.payload) : undefined };
  }
}

/** Remembers requests, and learns attributes from their responses. */
const exchangeOf = ({ requests, attributes }: Link, side: Side, pdu: Buffer): Exchange => {
  const opcode = u8.read(pdu, 0);
  // PDUs of a server have odd opcodes.
  const isOfServer = opcode % 2 === 1;
  const ofServer = attributes[isOfServer ? side : other[side]];
  if (unsolicited.includes(opcode) || (opcode & COMMAND_BIT) !== 0)
    return { pdu, request: undefined, attributes: ofServer };
  if (!isOfServer) {
    requests.set(side, pdu);
    return { pdu, request: undefined, attributes: ofServer };
  }
  const request = requests.get(other[side]);
  requests.delete(other[side]);
  if (request !== undefined) unlessShort(() => learn(ofServer, request, pdu));
  return { pdu, request, attributes: ofServer };
};
