import type { CommandName } from '../../src/ble/hci/commands.js';
import { Boundary, EventCode, PacketType } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import type { Air } from './air.js';
import { hex, type Refusal } from './command-handlers.js';
import type { LinkEnd } from './link.js';
import { specification } from './specification.js';
import { aclBuffers } from './supported.js';

/** Statuses that only a host's mistake earns; others may be bad luck. */
const mistakes: ReadonlySet<number> = new Set([
  Status.unknownConnection,
  Status.commandDisallowed,
  Status.unsupportedFeature,
  Status.invalidParameters,
  Status.unknownAdvertisingSet,
]);

/** What a host sends this soon after a link's end, milliseconds, was on its way already. */
const ON_ITS_WAY = 100;

const L2CAP_HEADER = 4;

/** How one host behaves. A strict controller reports every violation, a lenient one none. */
export class Conformance {
  /** Links that the host must take for its own. */
  private readonly told = new Set<number>();
  /** When links ended, by their handles. */
  private readonly ended = new Map<number, number>();
  /** Octets of an L2CAP packet that are still to come. */
  private readonly outstanding = new WeakMap<LinkEnd, number>();

  constructor(
    private readonly air: Air,
    private readonly adapter: string,
    private readonly strict: boolean,
  ) {}

  /** The host was told of a link, which may be one that never comes about. */
  linkTold(handle: number): void {
    this.told.add(handle);
  }

  linkEnded(handle: number): void {
    this.told.delete(handle);
    this.ended.set(handle, this.air.clock.now());
  }

  /** Its host has reset the controller: no link is left. */
  reset(): void {
    this.told.clear();
  }

  sentUnknownType(type: number): void {
    this.report('Vol 4 Part A 2', `packet type ${hex(type)} is not for an LE controller: no SCO, no ISO`);
  }

  /** A command comes while `outgoing` packets wait for the host to hear them. */
  sentCommand(name: CommandName | undefined, outgoing: readonly Buffer[]): void {
    if (!this.strict || name === 'reset' || !outgoing.some(isAnswer)) return;
    const title = name === undefined ? 'an unknown command' : specification[name][1];
    this.report(
      'Vol 4 Part E 4.4',
      `${title} was sent before the answer to the previous command (Num_HCI_Command_Packets is 1)`,
    );
  }

  sentUnknownCommand(opcode: number): void {
    this.report('Vol 4 Part E 6.27', `opcode ${hex(opcode, 4)} is not among the supported commands`);
  }

  refused(name: CommandName, { refused, why, handle }: Refusal): void {
    if (!mistakes.has(refused) || (handle !== undefined && this.isExcused(handle))) return;
    const [clause, title] = specification[name];
    this.report(`Vol 4 Part E ${clause}`, `${title}: ${why}`);
  }

  /** A data packet, and the link it is for; a packet that is not whole has no more to be looked at. */
  sentData(packet: Buffer, end: LinkEnd | undefined): void {
    if (!this.strict) return;
    const promised = packet.length < 5 ? undefined : packet.readUInt16LE(3);
    if (promised !== packet.length - 5) {
      this.reportData(
        `a data packet says ${promised ?? 'nothing'} of its length and has ${packet.length} bytes`,
      );
      return;
    }
    const flags = packet.readUInt16LE(1);
    if (end === undefined) this.sentAstray(flags & 0x0fff);
    else this.sentFragment(end, flags >> 12, packet.subarray(5));
  }

  /** Whether one packet more is an overflow, which a lenient controller never has. */
  overruns(occupied: number, length: number): boolean {
    if (!this.strict) return false;
    const { packets, length: room } = aclBuffers;
    if (length > room) {
      this.report('Vol 4 Part E 4.1.1', `a data packet of ${length} bytes for buffers of ${room}`);
      return true;
    }
    if (occupied < packets) return false;
    this.report(
      'Vol 4 Part E 4.1.1',
      `a data packet more than the ${packets} buffers hold, before Number Of Completed Packets returned one`,
    );
    return true;
  }

  private sentAstray(handle: number): void {
    if (this.isExcused(handle)) return;
    this.reportData(
      this.ended.has(handle)
        ? `data for handle ${hex(handle, 4)}, whose link has ended`
        : `data for handle ${hex(handle, 4)}, which no link has`,
    );
  }

  /** Fragments of L2CAP packets follow each other without a gap (Core 5.4 Vol 3 Part A 7.2.1). */
  private sentFragment(end: LinkEnd, flags: number, body: Buffer): void {
    const outstanding = this.outstanding.get(end) ?? 0;
    if (flags !== Boundary.firstFromHost && flags !== Boundary.continuing) {
      this.reportData(
        `boundary and broadcast flags 0b${flags.toString(2).padStart(4, '0')}: a host sends 0b0000 or 0b0001 on an LE link`,
      );
    }
    if (flags === Boundary.continuing) {
      if (body.length > outstanding) this.reportFragment('a continuation without, or beyond, its packet');
      this.outstanding.set(end, Math.max(0, outstanding - body.length));
      return;
    }
    if (outstanding > 0)
      this.reportFragment(`a new packet while ${outstanding} bytes of the last are missing`);
    if (body.length < L2CAP_HEADER) {
      this.reportFragment('a first fragment without its whole L2CAP header');
      return;
    }
    const missing = L2CAP_HEADER + body.readUInt16LE(0) - body.length;
    if (missing < 0) this.reportFragment(`${-missing} bytes more than the L2CAP packet has`);
    this.outstanding.set(end, Math.max(0, missing));
  }

  /** Whether a host may still take the handle for that of a link. */
  private isExcused(handle: number): boolean {
    const at = this.ended.get(handle);
    if (this.told.has(handle)) return true;
    return at !== undefined && this.air.clock.now() - at < ON_ITS_WAY;
  }

  private reportData(sentence: string): void {
    this.report('Vol 4 Part E 5.4.2', sentence);
  }

  private reportFragment(sentence: string): void {
    this.report('Vol 3 Part A 7.2.1', sentence);
  }

  private report(clause: string, sentence: string): void {
    if (this.strict) this.air.violations.add(this.adapter, clause, sentence);
  }
}

const isAnswer = (packet: Buffer): boolean =>
  packet[0] === PacketType.event &&
  (packet[1] === EventCode.commandComplete || packet[1] === EventCode.commandStatus);
