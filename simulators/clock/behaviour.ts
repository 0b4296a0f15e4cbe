import type { CommandTag } from '../../src/clock/cgd1/protocol/index.js';

/** The reaction of a clock to a host with another token than the one it is bound to (docs/cgd1-protocol.md §4). */
export const WRONG_TOKEN_MODES = ['silence', 'drop', 'reject', 'accept'] as const;
export type WrongTokenMode = (typeof WRONG_TOKEN_MODES)[number];

/** Which byte of an ACK reports a failure (docs/cgd1-protocol.md §3.1). */
export const ACK_FORMS = ['both', 'x', 'y'] as const;
export type AckForm = (typeof ACK_FORMS)[number];

/** The first byte of the firmware's text: the command again, or its length (docs/cgd1-protocol.md §5). */
export const FIRMWARE_FORMS = ['echo', 'length'] as const;

/** The level of the battery service: 99 always, as real clocks do, or the real level (docs/cgd1-protocol.md §10). */
export const BATTERY_SERVICES = ['constant', 'true'] as const;

/** How a clock misbehaves, or which of the sources it takes after. */
export interface ClockBehaviour {
  /**
   * Both steps succeed and then nothing is answered; the same, and the link is dropped at the first command;
   * the second step fails; any token will do.
   */
  readonly wrongToken: WrongTokenMode;
  /** Commands that the clock ignores. */
  readonly silentCommands: readonly CommandTag[];
  /** Commands that the clock acknowledges as failures, and does not execute. */
  readonly refusedCommands: readonly CommandTag[];
  /** Before each answer, ms on the clock's own time. */
  readonly ackDelayMs: number;
  /** How many of the six packets of alarms it sends. */
  readonly alarmPackets: number;
  readonly ackForm: AckForm;
  readonly firmwareForm: (typeof FIRMWARE_FORMS)[number];
  readonly batteryService: (typeof BATTERY_SERVICES)[number];
  /** The largest ATT_MTU it agrees to, from the next link on. */
  readonly mtu: number;
}

/** bleno's own limit. */
export const MAX_MTU = 256;

export const USUAL_BEHAVIOUR: ClockBehaviour = {
  wrongToken: 'silence',
  silentCommands: [],
  refusedCommands: [],
  ackDelayMs: 0,
  alarmPackets: 6,
  ackForm: 'both',
  firmwareForm: 'echo',
  batteryService: 'constant',
  mtu: MAX_MTU,
};
