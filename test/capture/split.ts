/**
 * Splits a capture of the Linux monitor (btsnoop, datalink 2001), so that a dissector reads each packet within its link.
 * Wireshark stores the requests of ATT by adapter, and reads a response by the last request of any link of that adapter.
 * So each link becomes a separate adapter.
 */
import { Boundary, EventCode } from '../../src/ble/hci/packets.js';
import { commands as hci } from '../../src/ble/hci/commands.js';
import { Kind } from '../../simulators/radio/medium/monitor.js';
import { FILE_HEADER, recordsIn } from '../../src/bytes/btsnoop.js';

/** The place of the controller's index in the header of a record. */
const INDEX_AT = 8;

/** Command Complete, four bytes of parameters: room for a command, its opcode, and Unknown HCI Command alone. */
const UNKNOWN_COMMAND = /^0e04..(?:....)01$/;

interface Frame {
  /** The number of the record in the capture, from 1, like Wireshark's. */
  readonly number: number;
  readonly index: number;
  readonly kind: number;
  /** Header and packet. */
  readonly record: Buffer;
  readonly packet: Buffer;
}

const framesOf = (capture: Buffer): readonly Frame[] =>
  [...recordsIn(capture.subarray(FILE_HEADER))].map(({ flags, bytes, data }, index) => ({
    ...{ number: index + 1, index: flags >>> 16, kind: flags & 0xffff, record: bytes, packet: data },
  }));

const isAcl = ({ kind }: Frame): boolean => kind === Kind.aclFromHost || kind === Kind.aclToHost;

/** The link of each packet of data: its controller and handle, and how often that handle has ended before. */
const linkNames = (frames: readonly Frame[]): ReadonlyMap<Frame, string> => {
  const names = new Map<Frame, string>();
  const ends = new Map<string, number>();
  const ended = (name: string): void => void ends.set(name, (ends.get(name) ?? 0) + 1);
  for (const frame of frames) {
    const { index, kind, packet } = frame;
    const controller = String(index);
    if (isAcl(frame)) {
      const link = `${controller}:${packet.readUInt16LE(0) & 0x0fff}`;
      names.set(frame, `${link} ${ends.get(link) ?? 0} ${ends.get(controller) ?? 0}`);
    } else if (kind === Kind.event && packet[0] === EventCode.disconnectionComplete && packet.length >= 5) {
      ended(`${controller}:${packet.readUInt16LE(3)}`);
    } else if (
      kind === Kind.deleteIndex ||
      (kind === Kind.command && packet.readUInt16LE(0) === hci.reset.opcode)
    ) {
      ended(controller);
    }
  }
  return names;
};

/** The packets that a fault has changed, each after a note of the fault, with the other packets of the same L2CAP PDU. */
const changedFrames = (frames: readonly Frame[], links: ReadonlyMap<Frame, string>): ReadonlySet<number> => {
  const changed = new Set<number>();
  const pdus = new Map<string, number[]>();
  frames.forEach((frame, at) => {
    const isChanged = frames[at - 1]?.kind === Kind.systemNote;
    if (!isAcl(frame)) {
      if (isChanged) changed.add(frame.number);
      return;
    }
    const way = `${links.get(frame) ?? ''} ${frame.kind}`;
    const begun =
      ((frame.packet.readUInt16LE(0) >> 12) & 0b11) === Boundary.continuing ? pdus.get(way) : undefined;
    const pdu = [...(begun ?? []), frame.number];
    pdus.set(way, pdu);
    if (isChanged || pdu.some((number) => changed.has(number))) pdu.forEach((number) => changed.add(number));
  });
  return changed;
};

export interface Part {
  readonly capture: Buffer;
  /** The number of a record in the whole capture, by its number in the part. Both count from 1. */
  readonly numberOf: (frame: number) => number;
}

export interface Split {
  /** Commands, events and notes, without the answers to commands that are unknown to the controller. */
  readonly commands: Part;
  /** Data, with a separate adapter for each link. */
  readonly links: Part;
  /** Records that a fault has changed. */
  readonly changed: ReadonlySet<number>;
}

const partOf = (header: Buffer, kept: readonly { number: number; record: Buffer }[]): Part => ({
  capture: Buffer.concat([header, ...kept.map(({ record }) => record)]),
  numberOf: (frame) => kept[frame - 1]?.number ?? 0,
});

export const split = (capture: Buffer): Split => {
  const frames = framesOf(capture);
  const header = capture.subarray(0, FILE_HEADER);
  const links = linkNames(frames);
  const adapters = new Map([...new Set(links.values())].map((link, adapter) => [link, adapter]));
  const data = frames.filter(isAcl).map((frame) => {
    const record = Buffer.from(frame.record);
    record.writeUInt16BE(adapters.get(links.get(frame) ?? '') ?? 0, INDEX_AT);
    return { number: frame.number, record };
  });
  const control = frames.filter(
    (frame) =>
      !isAcl(frame) && !(frame.kind === Kind.event && UNKNOWN_COMMAND.test(frame.packet.toString('hex'))),
  );
  return {
    commands: partOf(header, control),
    links: partOf(header, data),
    changed: changedFrames(frames, links),
  };
};
