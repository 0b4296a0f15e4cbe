import type { Action, ActionType, Device } from './actions.js';

/** A control API, a person or a command, which acts on devices. */
export interface Actor {
  /** Throws an Error if the action fails, a `Skip` if the actor cannot do it here. */
  readonly act: (device: Device, action: Action) => Promise<void>;
  /** Whether the actor rolls again and again until the face is up. */
  readonly tries: boolean;
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
