/**
 * What the radio delivered to the servers' hosts, read from its capture: btsnoop records of the Linux monitor
 * (datalink 2001), in which the flags hold the controller's index and the kind of packet.
 */
import { address as addressField } from '../../src/bytes/index.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { Channel } from '../../src/ble/hci/packets.js';

const FILE_HEADER = 16;
const RECORD_HEADER = 24;
/** Microseconds from the year 0 to the Unix epoch. */
const EPOCH = 0x00dcddb30f2f8000n;

const Kind = { newIndex: 0, deleteIndex: 1, command: 2, event: 3, aclFromHost: 4, aclToHost: 5 } as const;

const DISCONNECT = 0x0406;
const RESET = 0x0c03;

/** An ATT value that passed, `at` milliseconds since the Unix epoch. */
export interface Passed {
  readonly at: number;
  /** The attribute's handle. */
  readonly attribute: number;
  readonly value: Buffer;
}

/** One link of a server's adapter, as reported to its host. */
export interface LinkLife {
  /** The device's. */
  readonly address: string;
  readonly from: number;
  /** When its end was reported to the host, or the adapter was lost. */
  to: number;
  /** When the host itself requested the end. */
  asked: number | undefined;
  readonly notified: Passed[];
  readonly written: Passed[];
}

export interface Capture {
  /** In the order they began. */
  readonly links: readonly LinkLife[];
  /** The handle of a characteristic's value, by the UUID as it is on the air, in hex. */
  readonly attributes: ReadonlyMap<string, number>;
  /** When the first record was made. */
  readonly begins: number;
}

interface Controller {
  readonly address: string;
  readonly links: Map<number, LinkLife>;
  /** Fragments of what is not complete yet, by handle and direction. */
  readonly parts: Map<string, Buffer>;
}

interface Found {
  readonly links: LinkLife[];
  readonly attributes: Map<string, number>;
}

const endAll = (controller: Controller, at: number): void => {
  for (const link of controller.links.values()) link.to = at;
  controller.links.clear();
  controller.parts.clear();
};

const onEvent = (controller: Controller, at: number, event: Buffer, { links }: Found): void => {
  const [code, , first, second] = event;
  const isComplete = code === 0x3e && (first === 0x01 || first === 0x0a) && second === 0;
  if (isComplete && event.length >= 14) {
    const link: LinkLife = {
      address: addressField.read(event, 8),
      from: at,
      to: Infinity,
      asked: undefined,
      notified: [],
      written: [],
    };
    links.push(link);
    controller.links.set(event.readUInt16LE(4), link);
  } else if (code === 0x05 && event.length >= 5) {
    const handle = event.readUInt16LE(3);
    const link = controller.links.get(handle);
    if (link !== undefined) link.to = at;
    controller.links.delete(handle);
    for (const key of [...controller.parts.keys()])
      if (key.startsWith(`${handle} `)) controller.parts.delete(key);
  } else if (code === 0x10) {
    endAll(controller, at);
  }
};

const onCommand = (controller: Controller, at: number, command: Buffer): void => {
  const opcode = command.readUInt16LE(0);
  if (opcode === RESET) endAll(controller, at);
  if (opcode !== DISCONNECT) return;
  const link = controller.links.get(command.readUInt16LE(3));
  if (link !== undefined) link.asked ??= at;
};

/** Handles of characteristics as a device lists them: declaration, properties, value, UUID. */
const onCharacteristics = (pdu: Buffer, attributes: Map<string, number>): void => {
  const size = pdu.readUInt8(1);
  if (size !== 7 && size !== 21) return;
  for (let at = 2; at + size <= pdu.length; at += size) {
    const uuid = pdu.subarray(at + 5, at + size).toString('hex');
    if (!attributes.has(uuid)) attributes.set(uuid, pdu.readUInt16LE(at + 3));
  }
};

const onAtt = (link: LinkLife, at: number, pdu: Buffer, toHost: boolean, { attributes }: Found): void => {
  const [opcode] = pdu;
  if (pdu.length < 3) return;
  const passed = { at, attribute: pdu.readUInt16LE(1), value: Buffer.from(pdu.subarray(3)) };
  const isNotified =
    opcode === AttOpcode.handleValueNotification || opcode === AttOpcode.handleValueIndication;
  if (toHost && isNotified) link.notified.push(passed);
  if (toHost && opcode === AttOpcode.readByTypeResponse) onCharacteristics(pdu, attributes);
  if (!toHost && (opcode === AttOpcode.writeRequest || opcode === AttOpcode.writeCommand))
    link.written.push(passed);
};

const onData = (controller: Controller, at: number, data: Buffer, toHost: boolean, found: Found): void => {
  const handle = data.readUInt16LE(0) & 0x0fff;
  const isFirst = ((data.readUInt16LE(0) >> 12) & 0b11) !== 0b01;
  const key = `${handle} ${toHost}`;
  const before = isFirst ? Buffer.alloc(0) : (controller.parts.get(key) ?? Buffer.alloc(0));
  const whole = Buffer.concat([before, data.subarray(4)]);
  const complete = whole.length >= 4 && whole.length >= 4 + whole.readUInt16LE(0);
  if (!complete) {
    controller.parts.set(key, whole);
    return;
  }
  controller.parts.delete(key);
  const link = controller.links.get(handle);
  if (link !== undefined && whole.readUInt16LE(2) === Channel.att) {
    onAtt(link, at, whole.subarray(4, 4 + whole.readUInt16LE(0)), toHost, found);
  }
};

/** When a record was made, milliseconds since the Unix epoch. */
const timeAt = (part: Buffer, at: number): number => Number(part.readBigUInt64BE(at + 16) - EPOCH) / 1000;

/** When the last whole record was made; -Infinity: there is none. */
export const endOf = (part: Buffer): number => {
  let last = -Infinity;
  for (let at = FILE_HEADER; at + RECORD_HEADER <= part.length;) {
    const next = at + RECORD_HEADER + part.readUInt32BE(at + 4);
    if (next <= part.length) last = timeAt(part, at);
    at = next;
  }
  return last;
};

/** Reads the parts of a capture, oldest first; of all controllers those with an address that `isAdapter`. */
export const readCapture = (parts: readonly Buffer[], isAdapter: (address: string) => boolean): Capture => {
  const controllers = new Map<number, Controller>();
  const found: Found = { links: [], attributes: new Map() };
  let begins = Infinity;
  for (const part of parts) {
    for (let at = FILE_HEADER; at + RECORD_HEADER <= part.length;) {
      const length = part.readUInt32BE(at + 4);
      const flags = part.readUInt32BE(at + 8);
      const time = timeAt(part, at);
      const body = part.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length);
      at += RECORD_HEADER + length;
      begins = Math.min(begins, time);
      record(controllers, found, isAdapter, { index: flags >>> 16, kind: flags & 0xffff, time, body });
    }
  }
  return { ...found, begins };
};

const record = (
  controllers: Map<number, Controller>,
  found: Found,
  isAdapter: (address: string) => boolean,
  { index, kind, time, body }: { index: number; kind: number; time: number; body: Buffer },
): void => {
  if (kind === Kind.newIndex) {
    const address = addressField.read(body, 2);
    // Each part of a capture begins with the controllers that are present.
    if (isAdapter(address) && !controllers.has(index)) {
      controllers.set(index, { address, links: new Map(), parts: new Map() });
    }
    return;
  }
  const controller = controllers.get(index);
  if (controller === undefined) return;
  if (kind === Kind.deleteIndex) {
    endAll(controller, time);
    controllers.delete(index);
  } else if (kind === Kind.command) onCommand(controller, time, body);
  else if (kind === Kind.event) onEvent(controller, time, body, found);
  else onData(controller, time, body, kind === Kind.aclToHost, found);
};
