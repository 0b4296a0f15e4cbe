import { anyInteger, both, named, object, text, type AnyCodec, type Fields } from '../codecs/index.js';

/** An event as `?detail=full` has it: with the fields that say what it is `of`, and when it happened (ISO 8601, UTC). */
export const detailed = <E extends AnyCodec, F extends Fields>(event: E, of: F) =>
  named(
    'detailed_event',
    'With `detail=full`: an event, and where it is from',
    both(
      event,
      named(
        'Origin',
        '`seq` rises by one with every event of the server, `instance` is another one after each start of it',
        object({ ...of, time: text, seq: anyInteger, instance: text }),
      ),
      `${event.name} in full`,
    ),
  );
