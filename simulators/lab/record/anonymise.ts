/** Replaces real addresses and names in all bytes of a capture by made-up ones. */
import { address as addressField, unlessShort, u16, u8 } from '../../../src/bytes/index.js';
import {
  Channel,
  EventCode,
  LeSubevent,
  PacketType,
  completionOf,
  events,
} from '../../../src/ble/hci/packets.js';
import { decodeAdvertisingData, namesIn } from '../../ble/advertising-data.js';
import { advertisingReports } from '../../ble/advertising-reports.js';
import { AttOpcode } from '../../../src/ble/hci/att.js';
import { L2CAP_HEADER, aclHead } from '../../ble/l2cap.js';
import { packetKinds } from '../../radio/medium/monitor.js';
import type { TraceRecord } from '../../radio/medium/trace.js';

export interface Disguise {
  /** The made-up name of the device; it is cut, or filled with NUL, to the length of the real name. */
  readonly name: string;
  /** Names outside of advertisements, such as the GAP Device Name. */
  readonly others: readonly Buffer[];
}

interface Replacement {
  readonly real: Buffer;
  /** A replacement of the same length. */
  readonly madeUp: Buffer;
}

interface Identities {
  /** Real addresses with their made-up ones. */
  readonly addresses: Map<string, string>;
  readonly names: Buffer[];
}

/** The bytes of one packet, in the records that hold it. */
type Views = readonly Buffer[];

/** A shorter name is in other bytes by chance. */
const SHORTEST_NAME = 3;

/** The field of a link without a private address. */
const NO_ADDRESS = '00:00:00:00:00:00';

/** The two bits with the kind of a random address. */
const RANDOM_KIND = 0xc0;

/** A replacement that keeps the kind of a random address, and the maker of a public one. */
const madeUpAddress = (address: string, random: boolean, count: number): string => {
  const [first = '', second = '', third = ''] = address.split(':');
  const kind = (parseInt(first, 16) & RANDOM_KIND).toString(16).padStart(2, '0');
  const number = count.toString(16).padStart(6, '0');
  const kept = random ? [kind, '00', '00'] : [first, second, third];
  return [...kept, number.slice(0, 2), number.slice(2, 4), number.slice(4)].join(':').toUpperCase();
};

const learnAddress = ({ addresses }: Identities, address: string, random: boolean): void => {
  if (!addresses.has(address)) addresses.set(address, madeUpAddress(address, random, addresses.size + 1));
};

const learn = (identities: Identities, { kind, body }: TraceRecord): void => {
  if (packetKinds[kind]?.type !== PacketType.event) return;
  const hostAddress = completionOf(Buffer.concat([Buffer.from([PacketType.event]), body]), 'readBdAddr');
  if (hostAddress !== undefined) learnAddress(identities, addressField.read(hostAddress, 1), false);
  if (body[0] !== EventCode.leMeta) return;
  if (body[2] === LeSubevent.enhancedConnectionComplete) {
    const link = events.enhancedConnectionComplete.read(body.subarray(3));
    for (const address of [link.localResolvableAddress, link.peerResolvableAddress]) {
      if (address !== NO_ADDRESS) learnAddress(identities, address, true);
    }
  }
  for (const { address, addressType, data } of advertisingReports(u8.read(body, 2), body.subarray(3), 0)) {
    learnAddress(identities, address, addressType === 'random');
    identities.names.push(...namesIn(decodeAdvertisingData(data)).map((name) => Buffer.from(name)));
  }
};

const fitted = (name: string, { length }: Buffer): Buffer => {
  const fit = Buffer.alloc(length);
  fit.write(name);
  return fit;
};

/** The forms of an address in packets and in texts: whole, and its last six digits, at the end of many names. */
const addressForms = (real: string, madeUp: string): readonly Replacement[] => {
  const bytes = (address: string): Buffer => Buffer.from(address.replaceAll(':', ''), 'hex');
  const texts = (address: string): readonly string[] => {
    const digits = address.replaceAll(':', '');
    return [address, digits, digits.slice(6)].flatMap((text) => [text, text.toLowerCase()]);
  };
  const madeUpTexts = texts(madeUp);
  return [
    { real: bytes(real).reverse(), madeUp: bytes(madeUp).reverse() },
    { real: bytes(real), madeUp: bytes(madeUp) },
    ...texts(real).map((text, index) => ({
      real: Buffer.from(text),
      madeUp: Buffer.from(madeUpTexts[index] ?? ''),
    })),
  ];
};

/** The packets of a capture; a data packet has all of its fragments. */
const packetsOf = (records: readonly TraceRecord[]): readonly Views[] => {
  const packets: Buffer[][] = [];
  const open = new Map<string, Buffer[]>();
  for (const { kind, body } of records) {
    const { type, fromHost } = packetKinds[kind] ?? {};
    if (type !== PacketType.acl || body.length < 4) {
      packets.push([body]);
      continue;
    }
    const { handle, continues } = aclHead(body);
    const link = `${String(fromHost)} ${handle}`;
    const continued = continues ? open.get(link) : undefined;
    const fragments = continued ?? [];
    fragments.push(body.subarray(4));
    if (continued === undefined) packets.push(fragments);
    open.set(link, fragments);
  }
  return packets;
};

const replaceAll = (packet: Buffer, { real, madeUp }: Replacement): void => {
  for (let at = packet.indexOf(real); at >= 0; at = packet.indexOf(real, at + real.length)) {
    madeUp.copy(packet, at);
  }
};

/** Replaces a piece of a name that is too long for one response. */
const replacePiece = (packet: Buffer, { real, madeUp }: Replacement): void => {
  const value = packet.subarray(L2CAP_HEADER + 1);
  const opcode = packet[L2CAP_HEADER];
  const isRead = opcode === AttOpcode.readResponse || opcode === AttOpcode.readBlobResponse;
  if (packet.length < L2CAP_HEADER || u16.read(packet, 2) !== Channel.att || !isRead) return;
  const at = value.length < SHORTEST_NAME ? -1 : real.indexOf(value);
  if (at >= 0) madeUp.copy(value, 0, at, at + value.length);
};

const disguise = (views: Views, names: readonly Replacement[], addresses: readonly Replacement[]): void => {
  const packet = Buffer.concat(views);
  for (const name of names) {
    replaceAll(packet, name);
    replacePiece(packet, name);
  }
  for (const address of addresses) replaceAll(packet, address);
  let at = 0;
  for (const view of views) at += packet.copy(view, 0, at);
};

/** Changes the bytes of records in place. */
export const anonymise = (records: readonly TraceRecord[], { name, others }: Disguise): void => {
  const identities: Identities = { addresses: new Map(), names: [...others] };
  for (const record of records) unlessShort(() => learn(identities, record));
  // The longest name first: a short name is the beginning of a complete one.
  const names = identities.names
    .filter(({ length }) => length >= SHORTEST_NAME)
    .sort((a, b) => b.length - a.length)
    .map((real) => ({ real, madeUp: fitted(name, real) }));
  const addresses = [...identities.addresses].flatMap(([real, madeUp]) => addressForms(real, madeUp));
  for (const views of packetsOf(records)) disguise(views, names, addresses);
};
