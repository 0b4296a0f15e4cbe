/** Fields and actions that dice of all makers take over the control API. */
import * as codecs from '../../src/codecs/index.js';

/** An hour: longer than any test waits. */
const MAX_MS = 3_600_000;

export const level = codecs.integer(0, 100);
export const milliseconds = codecs.integer(0, MAX_MS);

/** An action without parameters. */
export const plain = codecs.closedObject({});

/** Printable ASCII; empty for a die without a name. */
export const name = (most: number) =>
  codecs.matching(
    `a text of at most ${most} printable ASCII characters`,
    new RegExp(`^[\\x20-\\x7e]{0,${most}}$`),
  );

/** Actions on all dice; each kind has a `notify` of its own. */
export const commonActions = {
  charge: codecs.closedObject({ on: codecs.boolean }),
  battery: codecs.closedObject({ level }),
  sleep: plain,
  wake: plain,
};
export type CommonActions = typeof commonActions;

/** The bytes of a notification in hex. */
export const notification = (most: number) =>
  codecs.matching(
    `an even number of hex digits, at most ${2 * most}`,
    new RegExp(`^(?:[0-9a-fA-F]{2}){0,${most}}$`),
  );
