import { commandSpecs } from './commands.js';
import { EventCode, LeSubevent, PacketType, events } from './packets.js';
import { Status } from './status.js';

const DISCONNECT = commandSpecs.disconnect.opcode;

/**
 * The links that a controller has reported to its host. A controller reports the end of every link (Core 5.4 Vol 4
 * Part E 7.7.5). If it denies a link without such a report, something else has reset it, and the host has to set it up
 * again.
 */
export class KnownLinks {
  private readonly handles = new Set<number>();
  /** The handle of the last Disconnect. */
  private ending: number | undefined;

  /** A packet was sent to the controller. */
  sent(packet: Buffer): void {
    if (packet[0] !== PacketType.command || packet.length < 6 || packet.readUInt16LE(1) !== DISCONNECT)
      return;
    this.ending = packet.readUInt16LE(4) & 0x0fff;
  }

  /** Takes an event of the controller; true if it denies a link that it has reported. */
  contradicts(event: Buffer): boolean {
    const parameters = event.subarray(3);
    switch (event[1] ?? 0) {
      case EventCode.leMeta:
        this.begun(parameters);
        return false;
      case EventCode.disconnectionComplete: {
        if (parameters.length < events.disconnectionComplete.size) return false;
        const { status, handle } = events.disconnectionComplete.read(parameters);
        if (status === Status.success) this.handles.delete(handle);
        return false;
      }
      case EventCode.commandStatus: {
        if (parameters.length < events.commandStatus.size) return false;
        const { status, opcode } = events.commandStatus.read(parameters);
        if (opcode !== DISCONNECT || status !== Status.unknownConnection) return false;
        return this.ending !== undefined && this.handles.has(this.ending);
      }
      default:
        return false;
    }
  }

  reset(): void {
    this.handles.clear();
    this.ending = undefined;
  }

  /** Both forms of the event begin with subevent, status and handle. */
  private begun(parameters: Buffer): void {
    const [subevent, status] = parameters;
    const isBegin =
      subevent === LeSubevent.connectionComplete || subevent === LeSubevent.enhancedConnectionComplete;
    if (isBegin && status === Status.success && parameters.length >= 4) {
      this.handles.add(parameters.readUInt16LE(2));
    }
  }
}
