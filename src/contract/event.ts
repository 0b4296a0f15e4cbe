import {
  about,
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
export const stamp = {
  time: about('When it happened, ISO 8601, UTC', text),
  seq: about('Its number: one more than that of the event before, of all devices of the server', anyInteger),
  instance: about('Of the run of the server: numbers begin again with each', text),
};

/** Events that a client cannot be sent any more: the first and the last; nobody knows the last after a restart. */
export const missed = {
  from: about('The number of the first that is missing', anyInteger),
  to: about('The number of the last; null after a restart, when nobody knows it', nullable(anyInteger)),
};

/** The query of a client that comes back: the position of the last event that it has; the next one has a number too. */
export const resuming = {
  since: about(
    'The `seq` of the last event that the client has: it is sent those after it first',
    integerInText(0, Number.MAX_SAFE_INTEGER - 1),
  ),
  instance: about('The `instance` of that event', text),
};

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
