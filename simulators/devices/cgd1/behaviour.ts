/** How a clock misbehaves, or which of the sources it takes after. */
import * as t from 'io-ts';
import { ALARM_PACKETS, COMMAND_TAGS, type CommandTag } from '../../../src/protocols/cgd1/index.js';
import * as codecs from '../../../src/codecs/index.js';

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

/** bleno's own limit. */
const MAX_MTU = 256;

/** ATT_MTU of a link without an exchange (Core 5.4 Vol 3 Part F 3.2.8). */
const MIN_MTU = 23;

const MAX_MS = 3_600_000;

const { about } = codecs;

/** The name of a command in the control API: `set_time` of `SetTime`. */
export const commandName = (tag: CommandTag): string =>
  tag.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

const commandNames = codecs.oneOf(COMMAND_TAGS.map(commandName));
const commandTag = codecs.described(
  new t.Type<CommandTag, string, unknown>(
    commandNames.name,
    (value): value is CommandTag => COMMAND_TAGS.some((tag) => tag === value),
    (value, context) => {
      const tag = COMMAND_TAGS.find((candidate) => commandName(candidate) === value);
      return tag === undefined ? t.failure(value, context) : t.success(tag);
    },
    commandName,
  ),
  commandNames.schema.input,
);

const commandTags = codecs.array(commandTag, 'an array of commands such as "set_time"');

export const ClockBehaviour = codecs.named(
  'ClockBehaviour',
  'How a clock misbehaves',
  codecs.closedObject({
    wrong_token: codecs.withDefault(
      about(
        'To another token: no answer after both steps, or the loss of the link at the first command; a refusal; or as to its own',
        codecs.oneOf(WRONG_TOKEN_MODES),
      ),
      'silence',
    ),
    silent_commands: codecs.withDefault(about('Commands that it ignores', commandTags), []),
    refused_commands: codecs.withDefault(
      about('Commands that it acknowledges as failures, and does not carry out', commandTags),
      [],
    ),
    ack_delay_ms: codecs.withDefault(
      about("Before each answer, milliseconds of the clock's own time", codecs.integer(0, MAX_MS)),
      0,
    ),
    alarm_packets: codecs.withDefault(
      about('How many of its packets of alarms it sends', codecs.integer(0, ALARM_PACKETS)),
      ALARM_PACKETS,
    ),
    ack_form: codecs.withDefault(
      about('The byte of an acknowledgement that is 1 for a failure', codecs.oneOf(ACK_FORMS)),
      'both',
    ),
    firmware_form: codecs.withDefault(
      about('The first byte of its firmware: the command again, or the length', codecs.oneOf(FIRMWARE_FORMS)),
      'echo',
    ),
    battery_service: codecs.withDefault(
      about('The value of 2A19: 99 always, or the level', codecs.oneOf(BATTERY_SERVICES)),
      'constant',
    ),
    mtu: codecs.withDefault(
      about('The largest ATT_MTU that it agrees to, from the next link on', codecs.integer(MIN_MTU, MAX_MTU)),
      MAX_MTU,
    ),
  }),
);
export type ClockBehaviour = t.TypeOf<typeof ClockBehaviour>;

export const USUAL_BEHAVIOUR: ClockBehaviour = {
  wrong_token: 'silence',
  silent_commands: [],
  refused_commands: [],
  ack_delay_ms: 0,
  alarm_packets: ALARM_PACKETS,
  ack_form: 'both',
  firmware_form: 'echo',
  battery_service: 'constant',
  mtu: MAX_MTU,
};
