import { commandSpecs } from './commands.js';
import { EventCode, LeSubevent, PacketType, events } from './packets.js';
import { Status } from './status.js';

const DISCONNECT = commandSpecs.disconnect.opcode;

/**
 * The links that a host believes in, by what its controller has said. A controller tells of the end of every link
 * before it forgets it (Core 5.4 Vol 4 Part E 7.7.5): one that does not know a link any more was reset behind the host's
 * back, and scans and tells of nothing until it is set up anew.
 */
export class KnownLinks {
  private readonly handles = new Set<number>();
  /** The link that the host ends at the moment. */
  private ending: number | undefined;

  /** A packet has left for the controller. */
  sent(packet: Buffer): void {
    if (packet[0] !== PacketType.command || packet.length < 6 || packet.readUInt16LE(1) !== DISCONNECT)
      return;
    this.ending = packet.readUInt16LE(4) & 0x0fff;
  }

  /** Takes note of an event; true if it denies a link that the host believes in. */
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

  /** Both forms of the event begin alike: subevent, status, handle. */
  private begun(parameters: Buffer): void {
    const [subevent, status] = parameters;
    const isBegin =
      subevent === LeSubevent.connectionComplete || subevent === LeSubevent.enhancedConnectionComplete;
    if (isBegin && status === Status.success && parameters.length >= 4) {
      this.handles.add(parameters.readUInt16LE(2));
    }
  }
}
