import type { Cancel } from '../../src/time.js';
import type { Controller } from './controller.js';
import type { Link } from './link.js';

/** What passes between a host and its controller; a hook may change its payload, or add to its delay. */
interface HostPacket {
  readonly controller: Controller;
  /** Of a command its opcode; of an event its code, of an LE event 0x3E00 and the subevent; of data that of its ATT PDU. */
  readonly opcode: number | undefined;
  /** Parameters of a command or an event; of data the fragment, with the L2CAP header if it is the first. */
  payload: Buffer;
  /** Milliseconds; what comes after it waits too. */
  delay: number;
}

interface LinkPacket extends HostPacket {
  /** The controller at the other end. */
  readonly peer: Controller;
  readonly link: Link;
  /** The first fragment of what the host sent. */
  readonly first: boolean;
}

interface Meeting {
  readonly controller: Controller;
  readonly peer: Controller;
}

/** Where a hook can be put in, and what it meets there. A hook that answers false stops it. */
export interface Stages {
  /** A command from a host; stopped, it is neither carried out nor answered. */
  command: HostPacket;
  /** An event on its way to a host. */
  event: HostPacket;
  /** Data that `controller` takes from its host. */
  acl_from_host: LinkPacket;
  /** Data that `controller` has for its host. */
  acl_to_host: LinkPacket;
  /** An advertisement or scan response of `controller` that `peer` hears. */
  advertising: Meeting & { payload: Buffer };
  /** `controller` wants a link to `peer`; stopped, it fails to be established. */
  connection_request: Meeting;
  /** A packet on the air between the two; stopped, it is lost as radio loses packets. */
  transmission: Meeting;
  /** Whether the two hear each other at all; stopped, they are out of range. */
  reach: Meeting;
  /** How strong others hear `controller`, dBm. */
  rssi: { readonly controller: Controller; rssi: number };
}

export type Stage = keyof Stages;

export type Hook<S extends Stage> = (passing: Stages[S]) => unknown;

/** Everything that has been put in by stage. A stage without hooks is undefined, and costs no more than that question. */
export class Hooks {
  readonly at: { [S in Stage]?: readonly Hook<S>[] | undefined } = {};

  /** Puts a hook in, behind those that are there; what this returns takes it out. */
  add<S extends Stage>(stage: S, hook: Hook<S>): Cancel {
    const entry: Hook<S> = (passing) => hook(passing);
    this.set(stage, [...this.of(stage), entry]);
    return () =>
      this.set(
        stage,
        this.of(stage).filter((other) => other !== entry),
      );
  }

  /** Shows what passes a stage to its hooks, in order. False once one of them has stopped it. */
  passes<S extends Stage>(stage: S, passing: Stages[S]): boolean {
    return this.of(stage).every((hook) => hook(passing) !== false);
  }

  private of<S extends Stage>(stage: S): readonly Hook<S>[] {
    return this.at[stage] ?? [];
  }

  private set<S extends Stage>(stage: S, hooks: readonly Hook<S>[]): void {
    this.at[stage] = hooks.length === 0 ? undefined : (hooks as Hooks['at'][S]);
  }
}
