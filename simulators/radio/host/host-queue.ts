import { aclData, Boundary, EventCode, encodeAcl, forwardAcl } from '../../../src/ble/hci/packets.js';
import { DelayQueue } from '../medium/delay-queue.js';
import { encodeEvent, eventOf } from './event-packets.js';
import { linkPacket } from '../medium/hooks.js';
import { passesMask, type HostSettings } from './host-settings.js';
import type { Medium, Station } from '../medium/medium.js';
import type { Fragment } from '../medium/pdu.js';

/** An event after its hooks, and the delay that they gave it, milliseconds. */
interface Hooked {
  readonly packet: Buffer;
  readonly delay: number;
}

/** The end of a link that has data for this host. */
type Receiver = Parameters<typeof linkPacket>[0] & { readonly handle: number };

/** All packets for one host: events, data, and Number Of Completed Packets. They are delivered in batches. */
export class HostQueue {
  private outgoing: Buffer[] = [];
  /** Buffers that are free again and not reported yet. */
  private returned: { readonly handle: number; count: number }[] = [];
  /** Packets that a hook has changed: the capture marks them. */
  private readonly altered = new WeakSet<Buffer>();
  /** Packets that a hook delays, and all that came after them. */
  readonly delayed: DelayQueue;
  private resets = 0;

  constructor(
    private readonly controller: Station & { readonly index: number },
    private readonly medium: Medium,
    private readonly settings: HostSettings,
    private readonly owner: { receive(packet: Buffer): void },
  ) {
    this.delayed = new DelayQueue(medium.time);
  }

  /** Packets that are not delivered yet. */
  get waiting(): readonly Buffer[] {
    return this.outgoing;
  }

  /** Whether the host's event masks let an event through. */
  wants(event: Buffer): boolean {
    return passesMask(event, this.settings.eventMask, this.settings.leEventMask);
  }

  /** Sends an event if the event masks let it through. */
  send(event: Buffer): void {
    if (!this.wants(event)) return;
    const hooked = this.hooked(event);
    if (hooked !== undefined) this.add(hooked.packet, hooked.delay);
  }

  /** Sends an event after the answer to the current command, unless the controller is reset before. */
  sendLater(event: () => Buffer): void {
    const { resets } = this;
    this.medium.post(() => {
      if (this.resets === resets) this.send(event());
    });
  }

  /** Sends an event past all hooks: without it the host would not know that the controller has lost its state. */
  sendUnhooked(event: Buffer): void {
    if (this.wants(event)) this.push(event);
  }

  /** A fragment from the other end of a link. */
  data(end: Receiver, { first, packet, payload: alteredPayload }: Fragment): void {
    const boundary = first ? Boundary.firstToHost : Boundary.continuing;
    const { hooks } = this.medium;
    if (hooks.at.acl_to_host === undefined && alteredPayload === undefined) {
      this.add(forwardAcl(packet, end.handle, boundary));
      return;
    }
    const passing = linkPacket(end, first, alteredPayload ?? aclData(packet));
    if (hooks.passes('acl_to_host', passing)) {
      const { payload, delay } = passing;
      this.add(this.marked(encodeAcl(end.handle, boundary, payload), payload), delay);
    }
  }

  /**
   * Reports that the buffer of one data packet of a link is free again: immediately if the host may be waiting for it, else
   * with the next packet, which is probably the answer to that data, or two turns later.
   */
  returnBuffer(handle: number, isAwaited: boolean): void {
    const last = this.returned.at(-1);
    if (isAwaited) this.deliverSoon();
    else if (last === undefined && this.outgoing.length === 0)
      this.medium.post(() => this.medium.post(() => this.deliverSoon()));
    if (last?.handle === handle) last.count += 1;
    else this.returned.push({ handle, count: 1 });
  }

  /** A link has ended; its buffers are not reported any more. */
  forgetBuffers(handle: number): void {
    this.returned = this.returned.filter((buffers) => buffers.handle !== handle);
  }

  /** The controller was reset. Packets that wait are still delivered. */
  reset(): void {
    this.resets += 1;
    this.returned = [];
  }

  readonly deliver = (): void => {
    const { returned, outgoing } = this;
    this.returned = [];
    this.outgoing = [];
    for (const { handle, count } of returned) {
      const hooked = this.hooked(eventOf('numberOfCompletedPackets', { handles: 1, handle, count }));
      if (hooked?.delay === 0) this.pass(hooked.packet);
      else if (hooked !== undefined) this.add(hooked.packet, hooked.delay);
    }
    for (const packet of outgoing) this.pass(packet);
  };

  private pass(packet: Buffer): void {
    const { index, name } = this.controller;
    const { trace } = this.medium;
    if (this.altered.has(packet)) trace?.note(`a fault has changed the next packet of ${name}`);
    trace?.toHost(index, packet);
    this.owner.receive(packet);
  }

  /** An event after its hooks; undefined if a hook drops it. */
  private hooked(event: Buffer): Hooked | undefined {
    const { hooks } = this.medium;
    if (hooks.at.event === undefined) return { packet: event, delay: 0 };
    const code = event.readUInt8(1);
    const opcode = code === EventCode.leMeta ? (code << 8) | event.readUInt8(3) : code;
    const passing = { controller: this.controller, opcode, payload: event.subarray(3), delay: 0 };
    if (!hooks.passes('event', passing)) return undefined;
    const { payload, delay } = passing;
    return { packet: this.marked(encodeEvent(code, payload), payload), delay };
  }

  private marked(packet: Buffer, payload: Buffer): Buffer {
    if (this.medium.hooks.hasAltered(payload)) this.altered.add(packet);
    return packet;
  }

  /** Adds a packet behind all delayed packets. */
  private add(packet: Buffer, delay = 0): void {
    if (delay > 0 || !this.delayed.empty) this.delayed.push(delay, () => this.push(packet));
    else this.push(packet);
  }

  private push(packet: Buffer): void {
    if (!this.controller.powered) return;
    if (this.outgoing.length === 0) this.deliverSoon();
    this.outgoing.push(packet);
  }

  private deliverSoon(): void {
    this.medium.postNext(this.deliver);
  }
}
