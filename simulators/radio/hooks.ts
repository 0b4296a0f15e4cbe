import type { Cancel } from '../../src/time.js';
import type { Controller } from './controller.js';
import type { Link, LinkEnd } from './link.js';

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

interface CommandPacket extends HostPacket {
  readonly opcode: number;
  /** A status with which it is answered, and not carried out. */
  refused?: number;
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
  command: CommandPacket;
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
  readonly at: { [S in Stage]: readonly Hook<S>[] | undefined } = {
    command: undefined,
    event: undefined,
    acl_from_host: undefined,
    acl_to_host: undefined,
    advertising: undefined,
    connection_request: undefined,
    transmission: undefined,
    reach: undefined,
    rssi: undefined,
  };
  private readonly altered = new WeakSet<Buffer>();

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
    const payload = payloadOf(passing);
    const passed = this.of(stage).every((hook) => hook(passing) !== false);
    const changed = payloadOf(passing);
    if (changed !== undefined && changed !== payload) this.altered.add(changed);
    return passed;
  }

  /** Whether a hook has put this payload in the place of what was said. */
  hasAltered(payload: Buffer): boolean {
    return this.altered.has(payload);
  }

  private of<S extends Stage>(stage: S): readonly Hook<S>[] {
    return this.at[stage] ?? [];
  }

  private set<S extends Stage>(stage: S, hooks: readonly Hook<S>[]): void {
    this.at[stage] = hooks.length === 0 ? undefined : (hooks as Hooks['at'][S]);
  }
}

const payloadOf = (passing: Stages[Stage]): Buffer | undefined =>
  'payload' in passing ? passing.payload : undefined;

/** The channel of ATT, and where the opcode of an ATT PDU is in a first fragment (Core 5.4 Vol 3 Part A 2.1 and 3.1). */
const ATT_CHANNEL = 0x0004;
const ATT_OPCODE_AT = 4;

/** Data of one end of a link, as hooks meet it. */
export const linkPacket = (end: LinkEnd, first: boolean, payload: Buffer): LinkPacket => {
  const isAtt = first && payload.length > ATT_OPCODE_AT && payload.readUInt16LE(2) === ATT_CHANNEL;
  return {
    controller: end.controller,
    peer: end.link.other(end).controller,
    link: end.link,
    opcode: isAtt ? payload.readUInt8(ATT_OPCODE_AT) : undefined,
    first,
    payload,
    delay: 0,
  };
};
