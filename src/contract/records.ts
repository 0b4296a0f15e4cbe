/** Fields of the devices that a server remembers. */
import { about, instantInText, line, nullable, text } from '../codecs/index.js';

/** The name that people give a device. */
export const label = about(
  'The name that people gave it, one line of 1 to 60 characters; null: none',
  nullable(line(60)),
);

/** Times of a record. */
export const seen = {
  first_seen: about('When it was heard or connected first, ISO 8601, UTC', text),
  last_seen: about('When it was heard or connected last, ISO 8601, UTC', text),
};

/** The fields of `seen`; times are ms of the Unix epoch. */
export const seenOf = ({
  firstSeen,
  lastSeen,
}: {
  readonly firstSeen: number;
  readonly lastSeen: number;
}) => ({
  first_seen: new Date(firstSeen).toISOString(),
  last_seen: new Date(lastSeen).toISOString(),
});

/** A span of time in a query. */
export const span = {
  from: about('The first instant, included', instantInText),
  to: about('The last instant, not included', instantInText),
};
