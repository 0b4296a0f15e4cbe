import {
  ALARM_PACKETS,
  ALARMS_IN_PACKET,
  FIRMWARE_ECHO,
  opcodeOf,
  type Ack,
  type AckOutcome,
  type Alarm,
  type Command,
  type Notification,
} from '../../../src/protocols/cgd1/index.js';
import type { ClockBehaviour } from './behaviour.js';

const failureBytes: Readonly<Record<ClockBehaviour['ack_form'], { readonly x: number; readonly y: number }>> =
  {
    both: { x: 1, y: 1 },
    x: { x: 1, y: 0 },
    y: { x: 0, y: 1 },
  };

const CONTINUE = 2;

export const ackReply = (command: Command, outcome: AckOutcome, { ack_form }: ClockBehaviour): Ack => ({
  _tag: 'Ack',
  opcode: opcodeOf(command),
  ...(outcome === 'failure' ? failureBytes[ack_form] : { x: 0, y: outcome === 'continue' ? CONTINUE : 0 }),
});

export const firmwareReply = (version: string, { firmware_form }: ClockBehaviour): Notification => ({
  _tag: 'Firmware',
  version,
  second: firmware_form === 'echo' ? FIRMWARE_ECHO : version.length,
});

/** The packets of all slots, up to the limit of the behaviour. */
export const alarmReplies = (
  alarms: readonly (Alarm | null)[],
  { alarm_packets }: ClockBehaviour,
): readonly Notification[] =>
  Array.from({ length: Math.min(ALARM_PACKETS, alarm_packets) }, (_, index) => {
    const base = index * ALARMS_IN_PACKET;
    return { _tag: 'AlarmPacket', base, alarms: alarms.slice(base, base + ALARMS_IN_PACKET) };
  });
