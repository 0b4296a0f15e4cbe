/** The kinds of servers. All other lists of kinds are derived from this one. */
import { keysOf } from './operation.js';

/** `devices`: the name of a server's devices in texts. `rigPort`: the port of the server in a rig. `page`: the file of its page. */
const facts = {
  dice: { devices: 'dice', rigPort: 3000, page: 'dice' },
  clock: { devices: 'clocks', rigPort: 3001, page: 'clocks' },
} as const;

export type Kind = keyof typeof facts;

export const KINDS: readonly Kind[] = keysOf(facts);

export const factsOf = <K extends Kind>(kind: K): (typeof facts)[K] => facts[kind];

/** A value for each kind. */
export const perKind = <A>(make: (kind: Kind) => A): Readonly<Record<Kind, A>> => ({
  dice: make('dice'),
  clock: make('clock'),
});
