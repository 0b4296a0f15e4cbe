import { Boundary, EventCode, encodeAcl, encodeEvent, events } from '../../src/ble/hci/packets.js';
import type { Controller, Host } from './controller.js';
import { linkPacket } from './hooks.js';
import { Line } from './line.js';
import type { LinkEnd } from './link.js';

/** An event as the hooks leave it, and how much later it comes, milliseconds. */
interface Hooked {
  readonly packet: Buffer;
  readonly delay: number;
}

/** All that a controller has for its host: events, data, and the buffers that are free again, delivered in one go. */
export class HostQueue {
  private readonly outgoing: Buffer[] = [];
  /** Buffers that are free again and were not told of yet, by handle. */
  private readonly returned = new Map<number, number>();
  /** Packets that a hook has changed: the capture says so. */
  private readonly altered = new WeakSet<Buffer>();
  /** What a hook has held back, with all that came after it. */
  private readonly held: Line;

  constructor(
    private readonly controller: Controller,
    private readonly host: Host,
  ) {
    this.held = new Line(controller.air.clock);
  }

  /** What the host has not heard yet. */
  get waiting(): readonly Buffer[] {
    return this.outgoing;
  }

  event(event: Buffer): void {
    const hooked = this.hooked(event);
    if (hooked !== undefined) this.add(hooked.packet, hooked.delay);
  }

  /** An event that no hook meets: without it the host would not know that the controller is another. */
  unhooked(event: Buffer): void {
    this.push(event);
  }

  /** A fragment from the other end of a link; the boundary is the host's again. */
  data(end: LinkEnd, first: boolean, data: Buffer): void {
    const boundary = first ? Boundary.firstToHost : Boundary.continuing;
    const { hooks } = this.controller.air;
    if (hooks.at.acl_to_host === undefined) {
      this.add(this.marked(encodeAcl(end.handle, boundary, data), data));
      return;
    }
    const passing = linkPacket(end, first, data);
    if (hooks.passes('acl_to_host', passing)) {
      const { payload, delay } = passing;
      this.add(this.marked(encodeAcl(end.handle, boundary, payload), payload), delay);
    }
  }

  /** The buffer of one data packet of a link is free again. */
  returnBuffer(handle: number): void {
    this.returned.set(handle, (this.returned.get(handle) ?? 0) + 1);
    if (this.outgoing.length === 0 && this.returned.size === 1) this.deliverSoon();
  }

  /** A link is no more, and with it its buffers. */
  forgetBuffers(handle: number): void {
    this.returned.delete(handle);
  }

  forgetAllBuffers(): void {
    this.returned.clear();
  }

  /** Hands on what hooks hold back. */
  release(): void {
    this.held.release();
  }

  /** Drops what hooks hold back. */
  dropHeld(): void {
    this.held.clear();
  }

  deliver(): void {
    for (const [handle, count] of this.returned) {
      const fields = { handles: 1, handle, count };
      const hooked = this.hooked(
        encodeEvent(EventCode.numberOfCompletedPackets, events.completedPackets.write(fields)),
      );
      if (hooked === undefined) continue;
      if (hooked.delay === 0) this.outgoing.unshift(hooked.packet);
      else this.add(hooked.packet, hooked.delay);
    }
    this.returned.clear();
    const { air, index, name } = this.controller;
    for (const packet of this.outgoing.splice(0)) {
      if (this.altered.has(packet)) air.trace?.note(`a fault has changed what ${name} says next`);
      air.trace?.toHost(index, packet);
      this.host.receive(packet);
    }
  }

  /** Undefined if a hook stops it. */
  private hooked(event: Buffer): Hooked | undefined {
    const { controller } = this;
    const { hooks } = controller.air;
    if (hooks.at.event === undefined) return { packet: event, delay: 0 };
    const code = event.readUInt8(1);
    const opcode = code === EventCode.leMeta ? (code << 8) | event.readUInt8(3) : code;
    const passing = { controller, opcode, payload: event.subarray(3), delay: 0 };
    if (!hooks.passes('event', passing)) return undefined;
    const { payload, delay } = passing;
    return { packet: this.marked(encodeEvent(code, payload), payload), delay };
  }

  private marked(packet: Buffer, payload: Buffer): Buffer {
    if (this.controller.air.hooks.hasAltered(payload)) this.altered.add(packet);
    return packet;
  }

  /** Behind all that are held back. */
  private add(packet: Buffer, delay = 0): void {
    if (delay > 0 || !this.held.empty) this.held.push(delay, () => this.push(packet));
    else this.push(packet);
  }

  private push(packet: Buffer): void {
    if (!this.controller.powered) return;
    if (this.outgoing.length === 0 && this.returned.size === 0) this.deliverSoon();
    this.outgoing.push(packet);
  }

  private deliverSoon(): void {
    this.controller.air.post(() => this.deliver());
  }
}
