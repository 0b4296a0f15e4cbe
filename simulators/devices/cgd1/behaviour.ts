/** How a clock misbehaves, and which source it follows where sources differ. */
import * as t from 'io-ts';
import { ALARM_PACKETS, COMMAND_TAGS, type CommandTag } from '../../../src/protocols/cgd1/index.js';
import * as codecs from '../../../src/codecs/index.js';
import { defaulted, milliseconds, usualOf } from '../fields.js';

/** bleno's own limit. */
const MAX_MTU = 256;

/** ATT_MTU of a link without an exchange (Core 5.4 Vol 3 Part F 3.2.8). */
const MIN_MTU = 23;

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

/** Tokens: docs/cgd1-protocol.md §4; acknowledgements: §3.1; firmware: §5; the battery service, 99 on real clocks: §10. */
export const ClockBehaviour = codecs.named(
  'ClockBehaviour',
  'How a clock misbehaves',
  codecs.closedObject({
    wrong_token: defaulted(
      'The reaction to a wrong token: silence after both steps, loss of the link at the first command, a refusal, or acceptance',
      codecs.oneOf(['silence', 'drop', 'reject', 'accept']),
      'silence',
    ),
    silent_commands: defaulted('Commands that it ignores', commandTags, []),
    refused_commands: defaulted(
      'Commands that it acknowledges as failures, and does not carry out',
      commandTags,
      [],
    ),
    ack_delay_ms: defaulted("The delay of each answer, milliseconds of the clock's time", milliseconds(), 0),
    alarm_packets: defaulted(
      'How many of its packets of alarms it sends',
      codecs.integer(0, ALARM_PACKETS),
      ALARM_PACKETS,
    ),
    ack_form: defaulted(
      'The byte of an acknowledgement that is 1 for a failure',
      codecs.oneOf(['both', 'x', 'y']),
      'both',
    ),
    firmware_form: defaulted(
      'The first byte of its firmware: the command again, or the length',
      codecs.oneOf(['echo', 'length']),
      'echo',
    ),
    battery_service: defaulted(
      'The value of 2A19: 99 always, or the level',
      codecs.oneOf(['constant', 'true']),
      'constant',
    ),
    mtu: defaulted(
      'The largest ATT_MTU that it agrees to, from the next link on',
      codecs.integer(MIN_MTU, MAX_MTU),
      MAX_MTU,
    ),
  }),
);
export type ClockBehaviour = t.TypeOf<typeof ClockBehaviour>;

export const USUAL_BEHAVIOUR = usualOf(ClockBehaviour);
