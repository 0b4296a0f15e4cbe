/** The data that the radio delivered to the servers' hosts, read from its capture (docs/radio.md, "Trace"). */
import { address as addressField, unlessShort } from '../../src/bytes/index.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { commands } from '../../src/ble/hci/commands.js';
import { Boundary, Channel, EventCode, LeSubevent, events } from '../../src/ble/hci/packets.js';
import { Reassembly } from '../../simulators/ble/l2cap.js';
import { Kind } from '../../simulators/radio/medium/monitor.js';
import { FILE_HEADER, recordsIn } from '../../src/bytes/btsnoop.js';

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
  /** When the host itself requested the end, or a proxy that is the host restarted: what it had not sent on is lost. */
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

interface OpenLink {
  readonly life: LinkLife;
  readonly toHost: Reassembly;
  readonly fromHost: Reassembly;
}

const CONNECTION_EVENTS: readonly number[] = [
  LeSubevent.connectionComplete,
  LeSubevent.enhancedConnectionComplete,
];

/** One controller of a server, and what its host learnt and sent. */
class AdapterLog {
  private readonly open = new Map<number, OpenLink>();

  constructor(
    private readonly links: LinkLife[],
    private readonly attributes: Map<string, number>,
    private readonly isProxy: boolean,
  ) {}

  read(kind: number, at: number, packet: Buffer): void {
    unlessShort(() => {
      if (kind === Kind.command) this.command(at, packet);
      else if (kind === Kind.event) this.event(at, packet.readUInt8(0), packet.subarray(2));
      else this.data(at, packet, kind === Kind.aclToHost);
    });
  }

  endAll(at: number): void {
    for (const { life } of this.open.values()) {
      life.to = at;
      if (this.isProxy) life.asked ??= at;
    }
    this.open.clear();
  }

  private command(at: number, packet: Buffer): void {
    const opcode = packet.readUInt16LE(0);
    if (opcode === commands.reset.opcode) this.endAll(at);
    const life =
      opcode === commands.disconnect.opcode ? this.open.get(packet.readUInt16LE(3))?.life : undefined;
    if (life !== undefined) life.asked ??= at;
  }

  private event(at: number, code: number, body: Buffer): void {
    if (code === EventCode.hardwareError) this.endAll(at);
    if (code === EventCode.disconnectionComplete) {
      const { handle } = events.disconnectionComplete.read(body);
      const link = this.open.get(handle);
      if (link !== undefined) link.life.to = at;
      this.open.delete(handle);
    }
    if (code !== EventCode.leMeta || !CONNECTION_EVENTS.includes(body.readUInt8(0))) return;
    // Both begin with the same fields (Core 5.4 Vol 4 Part E 7.7.65.1, .10).
    const [status, handle] = [body.readUInt8(1), body.readUInt16LE(2)];
    if (status !== 0) return;
    const life: LinkLife = {
      ...{ address: addressField.read(body, 6), from: at, to: Infinity, asked: undefined },
      ...{ notified: [], written: [] },
    };
    this.links.push(life);
    this.open.set(handle, { life, toHost: new Reassembly(), fromHost: new Reassembly() });
  }

  private data(at: number, packet: Buffer, toHost: boolean): void {
    const head = packet.readUInt16LE(0);
    const link = this.open.get(head & 0x0fff);
    const continues = ((head >> 12) & 0b11) === Boundary.continuing;
    const pdu = link?.[toHost ? 'toHost' : 'fromHost'].take(packet.subarray(4), continues);
    if (link !== undefined && pdu?.channel === Channel.att) this.att(link.life, at, pdu.payload, toHost);
  }

  private att(life: LinkLife, at: number, pdu: Buffer, toHost: boolean): void {
    if (pdu.length < 3) return;
    const [opcode] = pdu;
    const passed = { at, attribute: pdu.readUInt16LE(1), value: Buffer.from(pdu.subarray(3)) };
    const isNotified =
      opcode === AttOpcode.handleValueNotification || opcode === AttOpcode.handleValueIndication;
    if (toHost && isNotified) life.notified.push(passed);
    if (toHost && opcode === AttOpcode.readByTypeResponse) this.characteristics(pdu);
    if (!toHost && (opcode === AttOpcode.writeRequest || opcode === AttOpcode.writeCommand))
      life.written.push(passed);
  }

  /** Handles of characteristics as a device lists them: declaration, properties, value, UUID. */
  private characteristics(pdu: Buffer): void {
    const size = pdu.readUInt8(1);
    if (size !== 7 && size !== 21) return;
    for (let at = 2; at + size <= pdu.length; at += size) {
      const uuid = pdu.subarray(at + 5, at + size).toString('hex');
      if (!this.attributes.has(uuid)) this.attributes.set(uuid, pdu.readUInt16LE(at + 3));
    }
  }
}

/** When the last whole record was made; -Infinity: there is none. */
export const endOf = (part: Buffer): number => {
  let last = -Infinity;
  for (const { at } of recordsIn(part.subarray(FILE_HEADER))) last = at;
  return last;
};

/** Reads the parts of a capture, oldest first; of all controllers those of servers and their proxies. */
export const readCapture = (
  parts: readonly Buffer[],
  hostOf: (address: string) => 'server' | 'proxy' | undefined,
): Capture => {
  const adapters = new Map<number, AdapterLog>();
  const links: LinkLife[] = [];
  const attributes = new Map<string, number>();
  let begins = Infinity;
  for (const { flags, at, data } of parts.flatMap((part) => [...recordsIn(part.subarray(FILE_HEADER))])) {
    const [index, kind] = [flags >>> 16, flags & 0xffff];
    begins = Math.min(begins, at);
    // Each part of a capture begins with the controllers that are present.
    const host = kind === Kind.newIndex ? hostOf(addressField.read(data, 2)) : undefined;
    if (host !== undefined && !adapters.has(index))
      adapters.set(index, new AdapterLog(links, attributes, host === 'proxy'));
    else if (kind === Kind.deleteIndex) {
      adapters.get(index)?.endAll(at);
      adapters.delete(index);
    } else if (kind !== Kind.newIndex) adapters.get(index)?.read(kind, at, data);
  }
  return { links, attributes, begins };
};
