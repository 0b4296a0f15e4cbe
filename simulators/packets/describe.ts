import { PacketType } from '../../src/ble/hci/packets.js';
import { address, countBytes, hexBytes, hexText, shortBytes, unlessShort } from '../../src/bytes/index.js';
import { Kind, packetKinds } from '../radio/medium/monitor.js';
import type { TraceRecord } from '../radio/medium/trace.js';
import { describeAtt } from './att.js';
import { describeCommand, type Decoded } from './commands.js';
import { describeEvent } from './events.js';
import { describeL2cap } from './l2cap.js';
import type { Context, Links } from './links.js';
import type { Packet, Protocol, Words } from './packet.js';

/** ISO 8601 with microseconds. */
const timeText = (at: number): string => {
  const microseconds = Math.round(at * 1000);
  const time = new Date(Math.floor(microseconds / 1000)).toISOString();
  return `${time.slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}Z`;
};

const note = (summary: string): Decoded => ({ words: { protocol: 'note', summary, parts: [] } });

const fragment = (arrived: number, length: number | undefined): Words => ({
  protocol: 'acl',
  summary:
    length === undefined
      ? `ACL data, ${countBytes(arrived)} of an L2CAP packet`
      : `ACL data, ${arrived} of ${countBytes(length)} of an L2CAP packet`,
  parts: [],
});

/** Undefined: the packet is cut short. */
const describeData = ({ exchange, packet, partial }: Context): Decoded | undefined => {
  if (exchange !== undefined) return { words: describeAtt(exchange) };
  if (packet !== undefined) return { words: describeL2cap(packet) };
  return partial && { words: fragment(partial.arrived, partial.length) };
};

const describers: Readonly<Record<number, (record: TraceRecord, context: Context) => Decoded | undefined>> = {
  [Kind.newIndex]: ({ body }, { adapter = '' }) => note(`New Index, ${adapter}, ${address.read(body, 2)}`),
  [Kind.deleteIndex]: () => note('Delete Index'),
  [Kind.systemNote]: ({ body }) => note(body.toString().replace(/\0.*$/, '')),
  [Kind.command]: ({ body }) => describeCommand(body),
  [Kind.event]: ({ body }) => describeEvent(body),
  [Kind.aclFromHost]: (_, context) => describeData(context),
  [Kind.aclToHost]: (_, context) => describeData(context),
};

/** The bytes of a packet that is cut short. */
const cutShort = (protocol: Protocol, body: Buffer): Decoded => ({
  words: {
    protocol,
    summary: `cut short: ${shortBytes(body)}`,
    parts: [{ name: 'Bytes', value: hexBytes(body) }],
  },
});

const protocols: Readonly<Record<number, Protocol>> = {
  [PacketType.command]: 'hci_command',
  [PacketType.event]: 'hci_event',
  [PacketType.acl]: 'acl',
};

export const describe = (record: TraceRecord, links: Links): Packet => {
  const { number, index, kind, at, body } = record;
  const context = links.take(record);
  const { type, fromHost } = packetKinds[kind] ?? {};
  let described = cutShort(type === undefined ? 'note' : (protocols[type] ?? 'note'), body);
  unlessShort(() => (described = describers[kind]?.(record, context) ?? described));
  const handle = described.handle ?? context.handle;
  return {
    number,
    time: timeText(at),
    adapter: context.adapter ?? null,
    direction: fromHost === undefined ? null : fromHost ? 'host_to_controller' : 'controller_to_host',
    ...described.words,
    handle: handle ?? null,
    peer:
      described.peer ??
      context.peer ??
      (handle === undefined ? undefined : links.peerOf(index, handle)) ??
      null,
    hex: hexText(type === undefined ? body : Buffer.concat([Buffer.from([type]), body])),
  };
};
