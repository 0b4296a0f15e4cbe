import type { ConnectionParameters } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { Cancel } from '../../../src/async/time.js';
import { initialDataLength, updateDataLength, type DataLength } from '../host/data-length.js';
import type { HostQueue } from '../host/host-queue.js';
import type { HostSettings } from '../host/host-settings.js';
import { LinkProcedure } from './link-procedure.js';
import type { Medium, Station } from '../medium/medium.js';
import type { Fragment, OwnAddress, PeerAddress } from '../medium/pdu.js';

/** The parameters that the two ends agreed on: interval and timeout in milliseconds. */
export interface LinkParameters {
  readonly interval: number;
  readonly latency: number;
  readonly supervisionTimeout: number;
}

/** A fragment of a host's data, or a control PDU, which takes effect on arrival. */
type LinkPdu =
  ({ readonly kind: 'data' } & Fragment) | { readonly kind: 'control'; readonly arrive: () => void };

/** A packet to send at the time `dueAt`; 0: immediately. */
interface Outgoing {
  readonly pdu: LinkPdu;
  readonly dueAt: number;
}

/** A controller, as its links know it. */
export interface LinkController extends Station {
  readonly settings: HostSettings;
  readonly host: HostQueue;
  readonly links: {
    takeHandle(): number;
    /** A data packet of `end` has arrived at the other side. */
    completed(end: LinkEnd): void;
    ended(end: LinkEnd, reason: number): void;
  };
}

export interface LinkEnd {
  readonly controller: LinkController;
  readonly role: 'central' | 'peripheral';
  readonly handle: number;
  readonly link: Link;
  readonly ownAddress: OwnAddress;
  /** The controller at the other end, and the address by which this end knows it. */
  readonly peer: LinkController;
  readonly peerAddress: PeerAddress;
  readonly outgoing: Outgoing[];
  /** Data packets taken from this side's host and not delivered yet. */
  occupied: number;
  /** The controller was reset or lost its power. */
  isSilent: boolean;
  /** The next transmission, if one is scheduled. */
  transmission: Cancel | undefined;
  /** Packets lost in a row. */
  losses: number;
  /** The PHY on which it sends: 1M, 2M, Coded. */
  txPhy: number;
  /** The data length that the host requested, and the one in effect. */
  requestedDataLength: DataLength;
  dataLength: DataLength;
}

/** A controller, the address that it uses on a link, and the one by which it knows the other side. */
export interface Side<C extends LinkController = LinkController> {
  readonly controller: C;
  readonly ownAddress: OwnAddress;
  readonly peerAddress: PeerAddress;
}

interface LinkOptions {
  readonly parameters: LinkParameters;
  /** 1M, 2M, Coded. */
  readonly phy: number;
  readonly ended: () => void;
}

/**
 * A connection between two controllers: packets arrive in order and complete, or the link ends
 * (Core 5.4 Vol 6 Part B 4.5).
 */
export class Link {
  readonly central: LinkEnd;
  readonly peripheral: LinkEnd;
  parameters: LinkParameters;
  encrypted = false;
  /** Waits for the long-term key of the peripheral's host. The request is the key of the central's host. */
  readonly encryption: LinkProcedure<Buffer>;
  /** Waits for the reply of the central's host to a connection parameters request. */
  readonly parameterRequest: LinkProcedure<ConnectionParameters>;
  private readonly anchor: number;
  private readonly ended: () => void;
  private isEnded = false;
  private supervision: Cancel | undefined;

  constructor(
    private readonly medium: Medium,
    central: Side,
    peripheral: Side,
    { parameters, phy, ended }: LinkOptions,
  ) {
    const timedOut = (): void => this.end(Status.procedureTimeout);
    this.encryption = new LinkProcedure(medium.time, timedOut);
    this.parameterRequest = new LinkProcedure(medium.time, timedOut);
    const end = (role: LinkEnd['role'], side: Side, peer: Side): LinkEnd => ({
      role,
      ...side,
      handle: side.controller.links.takeHandle(),
      link: this,
      peer: peer.controller,
      outgoing: [],
      occupied: 0,
      isSilent: false,
      transmission: undefined,
      losses: 0,
      txPhy: phy,
      requestedDataLength: side.controller.settings.suggestedDataLength,
      dataLength: initialDataLength,
    });
    this.parameters = parameters;
    this.ended = ended;
    this.anchor = medium.time.now();
    this.central = end('central', central, peripheral);
    this.peripheral = end('peripheral', peripheral, central);
  }

  other(end: LinkEnd): LinkEnd {
    return end === this.central ? this.peripheral : this.central;
  }

  /** Both hosts know of the link: the data lengths that they suggested take effect. */
  begin(): void {
    this.medium.post(() => {
      if (!this.isEnded) updateDataLength(this.central, this.peripheral);
    });
  }

  /** Sends a control PDU, after the answer to the current command; `arrive` is called when it reaches the other side. */
  control(from: LinkEnd, arrive: () => void): void {
    this.medium.post(() => this.send(from, { kind: 'control', arrive }));
  }

  /** Sends a control PDU; `done` is called when the response of the other side has arrived. */
  request(from: LinkEnd, done: () => void): void {
    this.control(from, () => this.control(this.other(from), done));
  }

  /** `delay`: milliseconds in addition to pace and latency. */
  send(from: LinkEnd, pdu: LinkPdu, delay = 0): void {
    if (this.isEnded) return;
    from.outgoing.push({ pdu, dueAt: this.dueTime(from, delay) });
    this.schedule(from);
  }

  /** Stops the supervision timeout if the two ends reach each other, else starts it. */
  check(): void {
    if (this.isEnded) return;
    if (!this.interrupted()) {
      this.supervision?.();
      this.supervision = undefined;
      this.schedule(this.central);
      this.schedule(this.peripheral);
    } else {
      this.supervision ??= this.medium.time.after(
        this.medium.pace.supervision(this.parameters.supervisionTimeout),
        () => this.end(Status.connectionTimeout),
      );
    }
  }

  /** Ends the link; each host gets Disconnection Complete with its reason. */
  end(reasonForCentral: number, reasonForPeripheral = reasonForCentral): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.supervision?.();
    this.encryption.complete();
    this.parameterRequest.complete();
    for (const end of [this.central, this.peripheral]) {
      end.transmission?.();
      end.outgoing.length = 0;
    }
    this.ended();
    this.central.controller.links.ended(this.central, reasonForCentral);
    this.peripheral.controller.links.ended(this.peripheral, reasonForPeripheral);
  }

  /** The host of `from` disconnects: the other side gets `reason`, after all data sent before. */
  terminate(from: LinkEnd, reason: number): void {
    const local = Status.localHostTerminated;
    const arrive = (): void => (from.role === 'central' ? this.end(local, reason) : this.end(reason, local));
    this.send(from, { kind: 'control', arrive });
  }

  /** One side is gone without a termination procedure: the other gets a supervision timeout. */
  abandon(end: LinkEnd): void {
    end.isSilent = true;
    if (this.other(end).isSilent) this.end(Status.connectionTimeout);
    else this.check();
  }

  /** Delivers delayed packets now. */
  release(): void {
    for (const end of [this.central, this.peripheral]) {
      end.outgoing.splice(0, Infinity, ...end.outgoing.map(({ pdu }) => ({ pdu, dueAt: 0 })));
      end.transmission?.();
      end.transmission = undefined;
      this.schedule(end);
    }
  }

  private interrupted(): boolean {
    if (this.central.isSilent || this.peripheral.isSilent) return true;
    const [a, b] = [this.central.controller, this.peripheral.controller];
    return !this.medium.reaches(a, b) || this.medium.settings.loss >= 1;
  }

  /** The time of the next connection event plus latency and `extraMs`, and not before earlier packets. */
  private dueTime(from: LinkEnd, extraMs: number): number {
    const { time, pace, settings } = this.medium;
    const delay =
      pace.connectionEvent(time, this.anchor, this.parameters.interval) + settings.latencyMs + extraMs;
    return Math.max(delay === 0 ? 0 : time.now() + delay, from.outgoing.at(-1)?.dueAt ?? 0);
  }

  private schedule(from: LinkEnd): void {
    const [first] = from.outgoing;
    if (from.transmission !== undefined || first === undefined) return;
    const { time } = this.medium;
    const delay = first.dueAt === 0 ? 0 : first.dueAt - time.now();
    const flush = (): void => {
      from.transmission = undefined;
      this.flush(from);
    };
    from.transmission = delay > 0 ? time.after(delay, flush) : this.medium.post(flush);
  }

  private flush(from: LinkEnd): void {
    if (this.interrupted()) {
      this.check();
      return;
    }
    for (let [first] = from.outgoing; first !== undefined; [first] = from.outgoing) {
      if (first.dueAt > 0 && first.dueAt > this.medium.time.now()) break;
      if (this.medium.loses(this.central.controller, this.peripheral.controller)) {
        this.retransmitLater(from);
        return;
      }
      from.losses = 0;
      from.outgoing.shift();
      this.deliver(from, first.pdu);
    }
    this.schedule(from);
  }

  /** Sends a lost packet again at a later connection event, until the supervision timeout. */
  private retransmitLater(from: LinkEnd): void {
    const { time, pace } = this.medium;
    const pause = pace.retransmission(this.parameters.interval);
    from.losses += 1;
    // Counted, not measured: a process that stalls loses no packets.
    if (from.losses * pause >= pace.supervision(this.parameters.supervisionTimeout)) {
      this.end(Status.connectionTimeout);
      return;
    }
    from.transmission = time.after(pause, () => {
      from.transmission = undefined;
      this.flush(from);
    });
  }

  private deliver(from: LinkEnd, pdu: LinkPdu): void {
    if (pdu.kind === 'control') {
      pdu.arrive();
      return;
    }
    from.controller.links.completed(from);
    const to = this.other(from);
    to.controller.host.data(to, pdu);
  }
}
