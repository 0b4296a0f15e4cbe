import { Channel } from '../../../src/ble/hci/packets.js';
import type { Cancel } from '../../../src/async/time.js';

/** A controller, as hooks and faults know it. */
export interface Named {
  readonly address: string;
  readonly name: string;
}

/** A packet between a host and its controller. A hook may replace its payload or add to its delay. */
interface HostPacket {
  readonly controller: Named;
  /**
   * The opcode of a command; the code of an event, 0x3E00 plus the subevent of an LE event; the opcode of the ATT PDU
   * that begins in a data packet.
   */
  readonly opcode: number | undefined;
  /** The parameters of a command or an event; the fragment in a data packet, with the L2CAP header if it is the first. */
  payload: Buffer;
  /** Milliseconds. Later packets wait, too. */
  delay: number;
}

interface CommandPacket extends HostPacket {
  readonly opcode: number;
  /** The status to answer with; the command is then not carried out. */
  refused?: number;
}

/** A controller and another one that it meets on the air. */
interface Meeting {
  readonly controller: Named;
  readonly peer: Named;
}

/** One end of a link. */
interface Endpoint extends Meeting {
  readonly link: {
    /** Ends the link; both hosts get `reason`. */
    end(reason: number): void;
  };
}

interface LinkPacket extends HostPacket, Endpoint {
  /** The first fragment of an L2CAP packet. */
  readonly first: boolean;
}

/** The stages at which hooks can be added, and their arguments. A hook that returns false stops a packet or an action. */
export interface Stages {
  /** A command from a host. Stopped, it is neither carried out nor answered. */
  command: CommandPacket;
  /** An event on its way to a host. */
  event: HostPacket;
  /** Data that `controller` takes from its host. */
  acl_from_host: LinkPacket;
  /** Data that `controller` has for its host. */
  acl_to_host: LinkPacket;
  /** An advertisement or scan response of `controller` that `peer` receives. */
  advertising: Meeting & { payload: Buffer };
  /** `controller` connects to `peer`. Stopped, the connection fails to be established. */
  connection_request: Meeting;
  /** A packet on the air between the two. Stopped, it is lost as on a real radio. */
  transmission: Meeting;
  /** Whether the two reach each other. Stopped, they are out of range. */
  reach: Meeting;
  /** The RSSI with which others receive `controller`, dBm. */
  rssi: { readonly controller: Named; rssi: number };
}

export type Stage = keyof Stages;

export type Hook<S extends Stage> = (passing: Stages[S]) => unknown;

/** All hooks, by stage. A stage without hooks is undefined, and costs one check. */
export class Hooks {
  readonly at: { [S in Stage]?: readonly Hook<S>[] | undefined } = {};
  private readonly altered = new WeakSet<Buffer>();

  /** Adds a hook after the others of its stage; the returned function removes it. */
  add<S extends Stage>(stage: S, hook: Hook<S>): Cancel {
    const entry: Hook<S> = (passing) => hook(passing);
    this.set(stage, [...this.of(stage), entry]);
    return () =>
      this.set(
        stage,
        this.of(stage).filter((other) => other !== entry),
      );
  }

  /** Calls the hooks of a stage in order. False: a hook has stopped the packet or the action. */
  passes<S extends Stage>(stage: S, passing: Stages[S]): boolean {
    const payload = payloadOf(passing);
    const passed = this.of(stage).every((hook) => hook(passing) !== false);
    const newPayload = payloadOf(passing);
    if (newPayload !== undefined && newPayload !== payload) this.altered.add(newPayload);
    return passed;
  }

  /** Whether a hook has replaced the original payload by this one. */
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

/** The offset of the opcode of an ATT PDU in a first fragment (Core 5.4 Vol 3 Part A 3.1). */
const ATT_OPCODE_AT = 4;

/** A data packet at one end of a link, as hooks get it. */
export const linkPacket = (
  { controller, peer, link }: Endpoint,
  first: boolean,
  payload: Buffer,
): LinkPacket => {
  const isAtt = first && payload.length > ATT_OPCODE_AT && payload.readUInt16LE(2) === Channel.att;
  const opcode = isAtt ? payload.readUInt8(ATT_OPCODE_AT) : undefined;
  return { controller, peer, link, opcode, first, payload, delay: 0 };
};
