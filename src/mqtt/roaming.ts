/** Devices that go from server to server: a server that has lost a device hands it over to the server that hears it best. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../async/defects.js';
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import type { Message } from './broker.js';
import type { Peer } from './claims.js';
import type { Roamer } from './fleet.js';
import { Hearers, OwnHearing, readSignal, REPEAT_MS } from './hearing.js';
import type { Owners } from './owners.js';
import { readPayload } from './requests.js';

/** Other servers may hear a device before its server notices the loss: the longest usual supervision timeout, ms. */
const UNNOTICED_MS = 6_000;
/** A signal so soon after the beginning of a link may be older than the link, ms. */
const STALE_MS = 2_000;
/** The time in which a server with a lost device collects signals, its own too, ms. */
const DECIDE_MS = 1_500;

/** The command with which a server hands a device over to another server. */
export const TAKE_OVER = 'take_over';

export interface RoamingOptions {
  readonly owners: Pick<Owners, 'elsewhere' | 'watch'>;
  readonly roams: boolean;
}

export class Roaming {
  private readonly hearing: OwnHearing;
  private readonly hearers: Hearers;
  private readonly linkedAt = new Map<Address, number>();
  /** Lost devices, each with the time since when its signals count. */
  private readonly lostAt = new Map<Address, number>();
  private readonly deciding = new Map<Address, Cancel>();
  private roamer: Roamer | undefined;
  private isOpen = false;
  private unlisten: Cancel | undefined;
  private cancelReport: Cancel | undefined;

  constructor(
    private readonly peer: Peer,
    private readonly options: RoamingOptions,
  ) {
    this.hearing = new OwnHearing(peer.time);
    this.hearers = new Hearers(peer.time);
  }

  /** Listens to devices from now on, whenever there is a connection. */
  join(roamer: Roamer): void {
    this.roamer = roamer;
    this.start();
  }

  /** Whether this server listens to devices at all. */
  get listens(): boolean {
    return this.roamer !== undefined;
  }

  /** The signal of a device, dBm; undefined: this server does not receive it. */
  signalOf(address: Address): number | undefined {
    return this.hearing.signalOf(address);
  }

  opened(): void {
    this.isOpen = true;
    this.start();
  }

  lost(): void {
    this.isOpen = false;
    this.unlisten?.();
    this.cancelReport?.();
    this.unlisten = this.cancelReport = undefined;
    for (const hearing of [this.hearing, this.hearers]) hearing.clear();
    for (const address of [...this.deciding.keys()]) this.forget(address);
  }

  /** Receives the message of another server that hears a device of this server. */
  received(address: Address, { payload }: Message): void {
    const signal = readSignal(payload);
    if (signal === undefined) return;
    this.hearers.heard(address, signal.name, signal.rssi);
    this.look(address);
  }

  takeOver(message: Message): void {
    const payload = readPayload(message);
    if (E.isRight(payload)) this.roamer?.takeOver(payload.right);
  }

  /** To be called when a link has begun or ended, or a session has ended. */
  changed(address: Address, state: 'linked' | 'lost' | 'gone'): void {
    const now = this.peer.time.now();
    const linkedAt = this.linkedAt.get(address);
    if (state !== 'lost') this.forget(address);
    if (state === 'gone') this.linkedAt.delete(address);
    else if (state === 'linked') this.linkedAt.set(address, linkedAt ?? now);
    else if (!this.lostAt.has(address)) {
      const earliest = Math.max((linkedAt ?? 0) + STALE_MS, now - UNNOTICED_MS);
      this.lostAt.set(address, Math.min(now, earliest));
      this.linkedAt.delete(address);
      this.look(address);
    }
  }

  private start(): void {
    if (this.isOpen && this.roamer !== undefined)
      this.unlisten ??= this.roamer.listen((address, rssi) => this.hear(address, rssi));
  }

  private hear(address: Address, rssi: number): void {
    const { self, topics, broker, time } = this.peer;
    const { owners } = this.options;
    this.hearing.hear(address, rssi);
    this.hearers.heard(address, self.name, rssi);
    owners.watch(address);
    // Advertisements at the same time go into one message.
    this.cancelReport ??= time.after(0, () => this.report());
    // A device that advertises has no link to its owner.
    if (owners.elsewhere(address) !== undefined && this.hearing.shouldReport(address, rssi))
      broker.publish(topics.signals(address), JSON.stringify({ name: self.name, rssi }));
  }

  private report(): void {
    const { topics, broker, time } = this.peer;
    const messages = this.hearing.report();
    for (const message of messages) broker.publish(topics.heard, JSON.stringify(message));
    this.cancelReport = messages.length === 0 ? undefined : time.after(REPEAT_MS, () => this.report());
  }

  /** The other server that hears a lost device best. */
  private betterOf(address: Address): string | undefined {
    const since = this.lostAt.get(address);
    const best = since === undefined ? undefined : this.hearers.best(address, since);
    return best === this.peer.self.name ? undefined : best;
  }

  private look(address: Address): void {
    if (!this.options.roams || this.deciding.has(address) || this.betterOf(address) === undefined) return;
    const decide = (): void => {
      this.deciding.delete(address);
      const better = this.betterOf(address);
      if (better !== undefined) detached(this.handOver(address, better));
    };
    this.deciding.set(address, this.peer.time.after(DECIDE_MS, decide));
  }

  /** Ends the session of a device without a link, so that another server takes it over. */
  private async handOver(address: Address, to: string): Promise<void> {
    const { topics, broker, log } = this.peer;
    const handover = await this.roamer?.handOver(address);
    if (handover === undefined) return;
    log.info({ address, to }, 'a lost device is handed over');
    broker.publish(`${topics.commandsOf(to)}/${TAKE_OVER}`, JSON.stringify(handover));
  }

  private forget(address: Address): void {
    this.lostAt.delete(address);
    this.deciding.get(address)?.();
    this.deciding.delete(address);
  }
}
