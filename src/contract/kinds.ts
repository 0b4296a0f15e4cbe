/** The kinds of devices, each with a server of its own. There is no other list of them: who needs one derives it. */
import { keysOf } from './operation.js';

interface KindFacts {
  /** One device, and several, in texts; several is also the flag that counts them. */
  readonly device: string;
  readonly devices: string;
  /** The port of its server in a rig. */
  readonly rigPort: number;
  /** The file of its page. */
  readonly page: string;
}

const facts = {
  dice: { device: 'die', devices: 'dice', rigPort: 3000, page: 'dice' },
  clock: { device: 'clock', devices: 'clocks', rigPort: 3001, page: 'clocks' },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type Kind = keyof typeof facts;

export const KINDS: readonly Kind[] = keysOf(facts);

export const factsOf = <K extends Kind>(kind: K): (typeof facts)[K] => facts[kind];

/** A value for each kind. */
export const perKind = <A>(make: (kind: Kind) => A): Readonly<Record<Kind, A>> => ({
  dice: make('dice'),
  clock: make('clock'),
});
