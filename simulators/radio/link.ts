import type { Cancel } from '../../src/time.js';
import type { ConnectionParameters } from '../../src/ble/hci/extended-commands.js';
import { Status } from '../../src/ble/hci/status.js';
import type { Air } from './air.js';
import type { Controller } from './controller.js';
import { dataLengthChanged, usualDataLength, type DataLength } from './data-length.js';
import { Question } from './link-question.js';
import type { DeviceAddress, LinkPdu } from './pdu.js';

/** What the two ends agreed on: interval and timeout in milliseconds. */
export interface LinkParameters {
  readonly interval: number;
  readonly latency: number;
  readonly supervisionTimeout: number;
}

/** A packet on its way; it passes when `due` has come, 0 for at once. */
interface Outgoing {
  readonly pdu: LinkPdu;
  readonly due: number;
}

export interface LinkEnd {
  readonly controller: Controller;
  readonly role: 'central' | 'peripheral';
  readonly handle: number;
  readonly link: Link;
  /** The other side's address as this side knows it. */
  readonly peer: DeviceAddress;
  readonly outbox: Outgoing[];
  /** Data packets taken from this side's host and not delivered yet. */
  occupied: number;
  /** The controller was reset or lost its power: nobody is there any more. */
  gone: boolean;
  /** A transmission is arranged. */
  waiting: Cancel | undefined;
  /** Losses in an unbroken row. */
  losses: number;
  /** The PHY on which it sends: 1M, 2M, Coded. */
  txPhy: number;
  /** How much it would send in one packet, and how much it does. */
  wanted: DataLength;
  dataLength: DataLength;
}

/**
 * A connection between two controllers: what either sends arrives at the other in order and whole, or the link ends
 * (Core 5.4 Vol 6 Part B 4.5).
 */
export class Link {
  readonly central: LinkEnd;
  readonly peripheral: LinkEnd;
  private readonly anchor: number;
  private over = false;
  private supervision: Cancel | undefined;
  encrypted = false;
  /** The peripheral's host is asked for a key; this is what the central's host encrypts with. */
  readonly key: Question<Buffer>;
  /** The central's host is asked for connection parameters. */
  readonly update: Question<ConnectionParameters>;

  constructor(
    private readonly air: Air,
    central: { controller: Controller; address: DeviceAddress },
    peripheral: { controller: Controller; address: DeviceAddress },
    public parameters: LinkParameters,
    phy: number,
  ) {
    const unanswered = (): void => this.end(Status.procedureTimeout);
    this.key = new Question(air.clock, unanswered);
    this.update = new Question(air.clock, unanswered);
    const end = (role: LinkEnd['role'], controller: Controller, peer: DeviceAddress): LinkEnd => ({
      role,
      controller,
      handle: controller.takeHandle(),
      link: this,
      peer,
      outbox: [],
      occupied: 0,
      gone: false,
      waiting: undefined,
      losses: 0,
      txPhy: phy,
      wanted: controller.settings.suggestedDataLength,
      dataLength: usualDataLength,
    });
    this.anchor = air.clock.now();
    this.central = end('central', central.controller, peripheral.address);
    this.peripheral = end('peripheral', peripheral.controller, central.address);
  }

  other(end: LinkEnd): LinkEnd {
    return end === this.central ? this.peripheral : this.central;
  }

  /** Both sides know of the link: what their hosts wish for all links takes effect. */
  begin(): void {
    this.air.post(() => {
      if (!this.over) dataLengthChanged(this);
    });
  }

  /** Link control from one side, which acts when it arrives at the other; the answer to its command leaves first. */
  control(from: LinkEnd, arrive: () => void): void {
    this.air.post(() => this.send(from, { kind: 'control', arrive }));
  }

  /** Link control to the other side and back; `done` acts when the answer is here. */
  inquire(from: LinkEnd, done: () => void): void {
    this.control(from, () => this.control(this.other(from), done));
  }

  /** `delay`: milliseconds more than it takes anyway. */
  send(from: LinkEnd, pdu: LinkPdu, delay = 0): void {
    if (this.over) return;
    from.outbox.push({ pdu, due: this.due(from, delay) });
    this.pump(from);
  }

  /** Sees whether the two still reach each other; called when anything changed in the air. */
  check(): void {
    if (this.over) return;
    if (!this.interrupted()) {
      this.supervision?.();
      this.supervision = undefined;
      this.pump(this.central);
      this.pump(this.peripheral);
    } else {
      this.supervision ??= this.air.clock.after(
        this.air.pace.supervision(this.parameters.supervisionTimeout),
        () => this.end(Status.connectionTimeout),
      );
    }
  }

  /** Ends the link on both sides; whose host hears what reason. */
  end(reasonForCentral: number, reasonForPeripheral = reasonForCentral): void {
    if (this.over) return;
    this.over = true;
    this.supervision?.();
    this.key.take();
    this.update.take();
    for (const end of [this.central, this.peripheral]) {
      end.waiting?.();
      end.outbox.length = 0;
    }
    this.air.forget(this);
    this.central.controller.linkEnded(this.central, reasonForCentral);
    this.peripheral.controller.linkEnded(this.peripheral, reasonForPeripheral);
  }

  /** `from`'s host ends the link: the other side hears `reason` once what was sent before has arrived. */
  terminate(from: LinkEnd, reason: number): void {
    const own = Status.localHostTerminated;
    const arrive = (): void => (from.role === 'central' ? this.end(own, reason) : this.end(reason, own));
    this.send(from, { kind: 'control', arrive });
  }

  /** One side is gone without a word: the other notices by the supervision timeout. */
  vanish(end: LinkEnd): void {
    end.gone = true;
    if (this.other(end).gone) this.end(Status.connectionTimeout);
    else this.check();
  }

  /** What is on its way passes now. */
  hurry(): void {
    for (const end of [this.central, this.peripheral]) {
      end.outbox.splice(0, Infinity, ...end.outbox.map(({ pdu }) => ({ pdu, due: 0 })));
      end.waiting?.();
      end.waiting = undefined;
      this.pump(end);
    }
  }

  private interrupted(): boolean {
    if (this.central.gone || this.peripheral.gone) return true;
    const [a, b] = [this.central.controller, this.peripheral.controller];
    return !this.air.reaches(a, b) || this.air.settings.loss >= 1;
  }

  /** A connection event, later by what the air and `more` add, and never before what was sent earlier. */
  private due(from: LinkEnd, more: number): number {
    const { clock, pace, settings } = this.air;
    const now = clock.now();
    const delay =
      pace.connectionEvent(now, this.anchor, this.parameters.interval) + settings.latencyMs + more;
    return Math.max(delay === 0 ? 0 : now + delay, from.outbox.at(-1)?.due ?? 0);
  }

  private pump(from: LinkEnd): void {
    const [first] = from.outbox;
    if (from.waiting !== undefined || first === undefined) return;
    const { clock } = this.air;
    const delay = first.due - clock.now();
    const flush = (): void => {
      from.waiting = undefined;
      this.flush(from);
    };
    from.waiting = delay > 0 ? clock.after(delay, flush) : this.air.post(flush);
  }

  private flush(from: LinkEnd): void {
    if (this.interrupted()) {
      this.check();
      return;
    }
    for (let [first] = from.outbox; first !== undefined; [first] = from.outbox) {
      if (first.due > 0 && first.due > this.air.clock.now()) break;
      if (this.air.loses(this.central.controller, this.peripheral.controller)) {
        this.retransmitLater(from);
        return;
      }
      from.losses = 0;
      from.outbox.shift();
      this.deliver(from, first.pdu);
    }
    this.pump(from);
  }

  /** A packet lost on the air is sent again at a later connection event, until the link is given up. */
  private retransmitLater(from: LinkEnd): void {
    const { clock, pace } = this.air;
    const pause = pace.retransmission(this.parameters.interval);
    from.losses += 1;
    // Counted, not timed: a process that stalls has lost nothing.
    if (from.losses * pause >= pace.supervision(this.parameters.supervisionTimeout)) {
      this.end(Status.connectionTimeout);
      return;
    }
    from.waiting = clock.after(pause, () => {
      from.waiting = undefined;
      this.flush(from);
    });
  }

  private deliver(from: LinkEnd, pdu: LinkPdu): void {
    if (pdu.kind === 'control') {
      pdu.arrive();
      return;
    }
    from.controller.completed(from);
    const to = this.other(from);
    to.controller.deliver(to, pdu.first, pdu.data);
  }
}
