/** The subscription to the advertisements of a proxy, which sends them to one client only. */
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Problem } from '../problem.js';

/**
 * Pauses before an unanswered subscription is repeated, ms; the last pause recurs. bleak-esphome has the same pauses
 * (github.com/Bluetooth-Devices/bleak-esphome, pull request 394).
 */
const RETRY_MS = [10_000, 30_000, 60_000] as const;

/** A proxy that hears nothing for this time may have another subscriber, ms; devices are remembered as long. */
export const SILENT_MS = 60_000;

export class Subscription {
  private current: 'pending' | 'refused' | 'accepted' = 'pending';
  private heardAt = 0;
  private heardSince = new Date(0);
  private cancel: Cancel = () => undefined;

  /** Calls `changed` when the proxy has accepted or refused the subscription. */
  constructor(
    private readonly time: TimeSource,
    private readonly changed: () => void,
  ) {}

  get state(): 'pending' | 'refused' | 'accepted' {
    return this.current;
  }

  /** Whether an accepted subscription has brought no advertisement for `SILENT_MS`. */
  get isSilent(): boolean {
    return this.current === 'accepted' && this.time.now() - this.heardAt >= SILENT_MS;
  }

  get problem(): Problem | undefined {
    if (this.current === 'refused') return { what: "another client receives this proxy's advertisements" };
    if (!this.isSilent) return undefined;
    const since = this.heardSince.toISOString();
    return { what: `nothing heard since ${since}: another client may receive its advertisements` };
  }

  /**
   * Subscribes by `send`, again and again until the proxy answers; `answers`: whether its firmware does so. An accepted subscription is
   * never renewed: the newest client gets it since ESPHome 2026.7 (github.com/esphome/esphome, pull request 17423), and two clients
   * would take it from each other again and again.
   */
  begin(send: () => void, answers: boolean): void {
    this.hear();
    this.current = answers ? 'pending' : 'accepted';
    if (answers) this.request(send, ...RETRY_MS);
    else send();
  }

  /** Takes the answer of the proxy. */
  accept(): void {
    if (this.current === 'accepted') return;
    this.cancel();
    this.hear();
    this.current = 'accepted';
    this.changed();
  }

  /** Takes note of an advertisement or a message of a link, which only the subscriber gets (`api_connection_` in `bluetooth_proxy.h` of ESPHome). */
  heard(): void {
    this.hear();
    this.accept();
  }

  end(): void {
    this.cancel();
  }

  private hear(): void {
    this.heardAt = this.time.now();
    this.heardSince = this.time.date();
  }

  private request(send: () => void, pause: number, ...later: readonly number[]): void {
    this.cancel = this.time.after(pause, () => {
      const isNew = this.current === 'pending';
      this.current = 'refused';
      if (isNew) this.changed();
      const [next = pause, ...rest] = later;
      this.request(send, next, ...rest);
    });
    send();
  }
}
