import {
  anyInteger,
  both,
  integerInText,
  named,
  nullable,
  object,
  text,
  type AnyCodec,
  type Fields,
} from '../codecs/index.js';

/** The additions of `?detail=full` to every event: its time (ISO 8601, UTC), and its position. */
export const stamp = { time: text, seq: anyInteger, instance: text };

/** Events that a client cannot be sent any more: the first and the last; nobody knows the last after a restart. */
export const missed = { from: anyInteger, to: nullable(anyInteger) };

/** The query of a client that comes back: the position of the last event that it has; the next one has a number too. */
export const resuming = { since: integerInText(0, Number.MAX_SAFE_INTEGER - 1), instance: text };

/** An event as `?detail=full` has it: with its stamp, and the fields that say what it is `of`. */
export const detailed = <E extends AnyCodec, F extends Fields>(event: E, of: F) =>
  named(
    'detailed_event',
    'With `detail=full`: an event, and where it is from',
    both(
      event,
      named(
        'Origin',
        '`seq` rises by one with every event of the server, `instance` is another one after each start of it',
        object({ ...of, ...stamp }),
      ),
      `${event.name} in full`,
    ),
  );
