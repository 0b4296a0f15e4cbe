import type { Action, ActionType, Device } from './actions.js';

/** The one that acts on devices: a control API, a person, or a command. */
export interface Actor {
  /** Does it, or throws: an Error if it failed, a `Skip` if it cannot be done here. */
  readonly act: (device: Device, action: Action) => Promise<void>;
  /** A roll takes as many attempts as it takes until the face is up. */
  readonly tries: boolean;
}

/** The actor of each action; an action without one cannot be done here. */
export type Actors = Readonly<Partial<Record<ActionType, Actor>>>;

/** Everything that a device knows of itself. Throws if it cannot be read. */
export type ReadModel = (address: string) => Promise<Readonly<Record<string, unknown>>>;

/** All that can be done to devices, and known of them. */
export interface Hands {
  readonly actors: Actors;
  /** Undefined: the model of a device is unknown. */
  readonly readModel: ReadModel | undefined;
}
