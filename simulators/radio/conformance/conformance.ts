import { hexNumber } from '../../../src/bytes/index.js';
import type { CommandName } from '../../../src/ble/hci/commands.js';
import { ACL_HEADER, aclData, Boundary, EventCode, PacketType } from '../../../src/ble/hci/packets.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { TimeSource } from '../../../src/async/time.js';
import { type Refusal } from '../host/command-handlers.js';
import { ruleOf, rules, type Rule } from './rules.js';
import { aclBuffers } from '../host/supported.js';
import type { TracePlace } from '../medium/trace.js';
import type { Violations } from './violations.js';

/** Statuses that mean a violation; others may be a race. */
const mistakes: ReadonlySet<number> = new Set([
  Status.unknownConnection,
  Status.commandDisallowed,
  Status.unsupportedFeature,
  Status.invalidParameters,
  Status.unknownAdvertisingSet,
]);

/** The time after the end of a link in which packets for it may still be on their way, milliseconds. */
const GRACE_MS = 100;

const L2CAP_HEADER = 4;

/** Checks one host against the specification. A strict controller reports every violation, a lenient controller nothing. */
export class Conformance {
  /** Links that were reported to the host. */
  private readonly reported = new Set<number>();
  /** When links ended, by their handles. */
  private readonly ended = new Map<number, number>();
  /** The missing octets of the current L2CAP packet, by end of a link. */
  private readonly outstanding = new WeakMap<object, number>();

  /** The place of the current packet in the trace; undefined without a trace. */
  packet: TracePlace | undefined;

  constructor(
    private readonly time: TimeSource,
    private readonly violations: Violations,
    private readonly adapter: string,
    private readonly strict: boolean,
  ) {}

  /** A link was reported to the host, even if it is never established. */
  linkReported(handle: number): void {
    this.reported.add(handle);
  }

  linkEnded(handle: number): void {
    this.reported.delete(handle);
    this.ended.set(handle, this.time.now());
  }

  /** The controller was reset: all links are gone. */
  reset(): void {
    this.reported.clear();
  }

  sentUnknownType(type: number): void {
    this.hold(rules.packetTypes);
    this.report(
      rules.packetTypes,
      `packet type ${hexNumber(type)} is not for an LE controller: no SCO, no ISO`,
    );
  }

  /** A command arrives while `outgoing` packets are not delivered to the host yet. */
  sentCommand(name: CommandName | undefined, outgoing: readonly Buffer[]): void {
    this.hold(rules.packetTypes, rules.supported, rules.commandFlow);
    if (name !== undefined) this.hold(ruleOf(name));
    if (!this.strict || name === 'reset' || !outgoing.some(isAnswer)) return;
    const title = name === undefined ? 'an unknown command' : ruleOf(name).title;
    this.report(
      rules.commandFlow,
      `${title} was sent before the answer to the previous command (Num_HCI_Command_Packets is 1)`,
    );
  }

  sentUnknownCommand(opcode: number): void {
    this.report(rules.supported, `opcode ${hexNumber(opcode, 4)} is not among the supported commands`);
  }

  refused(name: CommandName, { refused, reason: cause, handle }: Refusal): void {
    if (!mistakes.has(refused) || (handle !== undefined && this.isExcused(handle))) return;
    const rule = ruleOf(name);
    this.report(rule, `${rule.title}: ${cause}`);
  }

  /** `end`: the end of the link to which the packet belongs; undefined without such a link. */
  sentData(packet: Buffer, end: object | undefined): void {
    if (!this.strict) return;
    this.hold(rules.packetTypes, rules.data, rules.buffers);
    const length = packet.length < ACL_HEADER ? undefined : packet.readUInt16LE(3);
    if (length !== packet.length - ACL_HEADER) {
      this.report(
        rules.data,
        `Data_Total_Length is ${length ?? 'missing'} in a data packet of ${packet.length} bytes`,
      );
      return;
    }
    const flags = packet.readUInt16LE(1);
    if (end === undefined) this.sentToUnknownHandle(flags & 0x0fff);
    else this.sentFragment(end, flags >> 12, aclData(packet));
  }

  /** Whether one more packet of `length` octets exceeds the buffers; never for a lenient controller. */
  overruns(occupied: number, length: number): boolean {
    if (!this.strict) return false;
    const { packets, length: room } = aclBuffers;
    if (length > room) {
      this.report(rules.buffers, `a data packet of ${length} bytes for buffers of ${room}`);
      return true;
    }
    if (occupied < packets) return false;
    this.report(
      rules.buffers,
      `a data packet while all ${packets} buffers are in use, before Number Of Completed Packets returned one`,
    );
    return true;
  }

  private sentToUnknownHandle(handle: number): void {
    if (this.isExcused(handle)) return;
    const reason = this.ended.has(handle) ? 'whose link has ended' : 'which no link has';
    this.report(rules.data, `data for handle ${hexNumber(handle, 4)}, ${reason}`);
  }

  /** Fragments of L2CAP packets follow each other without a gap (Core 5.4 Vol 3 Part A 7.2.1). */
  private sentFragment(end: object, flags: number, body: Buffer): void {
    this.hold(rules.fragments);
    const outstanding = this.outstanding.get(end) ?? 0;
    if (flags !== Boundary.firstFromHost && flags !== Boundary.continuing) {
      this.report(
        rules.data,
        `boundary and broadcast flags 0b${flags.toString(2).padStart(4, '0')}: a host sends 0b0000 or 0b0001 on an LE link`,
      );
    }
    if (flags === Boundary.continuing) {
      if (body.length > outstanding)
        this.report(rules.fragments, 'a continuation without, or beyond, its packet');
      this.outstanding.set(end, Math.max(0, outstanding - body.length));
      return;
    }
    if (outstanding > 0)
      this.report(rules.fragments, `a new packet while ${outstanding} bytes of the last are missing`);
    if (body.length < L2CAP_HEADER) {
      this.report(rules.fragments, 'a first fragment without its whole L2CAP header');
      return;
    }
    const missing = L2CAP_HEADER + body.readUInt16LE(0) - body.length;
    if (missing < 0) this.report(rules.fragments, `${-missing} bytes more than the L2CAP packet has`);
    this.outstanding.set(end, Math.max(0, missing));
  }

  /** Whether the host may still believe that a link has this handle. */
  private isExcused(handle: number): boolean {
    const at = this.ended.get(handle);
    if (this.reported.has(handle)) return true;
    return at !== undefined && this.time.now() - at < GRACE_MS;
  }

  private hold(...against: readonly Rule[]): void {
    if (this.strict) for (const rule of against) this.violations.checked(rule);
  }

  private report(rule: Rule, message: string): void {
    if (this.strict) this.violations.add(this.adapter, rule, message, this.packet);
  }
}

const isAnswer = (packet: Buffer): boolean =>
  packet[0] === PacketType.event &&
  (packet[1] === EventCode.commandComplete || packet[1] === EventCode.commandStatus);
