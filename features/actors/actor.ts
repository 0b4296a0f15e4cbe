import type { Action, ActionType, Device } from './actions.js';
import type { Occasion } from './watch.js';

/** A control API, a person or a command, which acts on devices. */
export interface Actor {
  /** Throws an Error if the action fails, a `Skip` if the actor cannot do it here. */
  readonly act: (device: Device, action: Action, occasion?: Occasion) => Promise<void>;
  /** Whether the actor rolls again and again until the face is up. */
  readonly tries: boolean;
  /** Whether the actor sees the events of the action, and goes on as soon as all of them have come. */
  readonly watches?: boolean;
}

/** The actor of each action. Scenarios skip an action without an actor. */
export type Actors = Readonly<Partial<Record<ActionType, Actor>>>;

/** Reads the whole state of a device. Throws if the state cannot be read. */
export type ReadModel = (address: string) => Promise<Readonly<Record<string, unknown>>>;

/** Actions on devices, and their state. */
export interface Hands {
  readonly actors: Actors;
  /** Undefined: this bench cannot read the state of a device. */
  readonly readModel: ReadModel | undefined;
}
