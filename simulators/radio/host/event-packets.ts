/** Events, as a controller sends them: whole packets, the H4 type byte first (Core 5.4 Vol 4 Part E 5.4.4 and 7.7). */
import {
  EventCode,
  LeSubevent,
  PacketType,
  events,
  type EventFields,
  type EventName,
} from '../../../src/ble/hci/packets.js';
import type { Layout } from '../../../src/bytes/index.js';

export const encodeEvent = (code: number, parameters: Buffer): Buffer => {
  const packet = Buffer.allocUnsafe(3 + parameters.length);
  packet[0] = PacketType.event;
  packet[1] = code;
  packet[2] = parameters.length;
  packet.set(parameters, 3);
  return packet;
};

export const encodeLeEvent = (subevent: number, parameters: Buffer): Buffer =>
  encodeEvent(EventCode.leMeta, Buffer.concat([Buffer.from([subevent]), parameters]));

/** The layouts, typed so that a generic name `N` finds its fields. */
const eventLayouts: { readonly [N in EventName]: Layout<EventFields<N>> } = events;

/** An event of a fixed layout. */
export const eventOf = <N extends EventName & keyof typeof EventCode>(
  name: N,
  fields: EventFields<N>,
): Buffer => encodeEvent(EventCode[name], eventLayouts[name].write(fields));

export const leEventOf = <N extends EventName & keyof typeof LeSubevent>(
  name: N,
  fields: EventFields<N>,
): Buffer => encodeLeEvent(LeSubevent[name], eventLayouts[name].write(fields));

/** `Command Complete` carrying `returns` (status included), with room for one more command. */
export const encodeCommandComplete = (opcode: number, returns: Buffer): Buffer =>
  encodeEvent(
    EventCode.commandComplete,
    Buffer.concat([Buffer.from([1, opcode & 0xff, opcode >> 8]), returns]),
  );

export const encodeCommandStatus = (opcode: number, status: number): Buffer =>
  encodeEvent(EventCode.commandStatus, events.commandStatus.write({ status, packets: 1, opcode }));
