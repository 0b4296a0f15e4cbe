/** The subscription to the advertisements of a proxy, which sends them to one client only. */
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Problem } from '../problem.js';
import { ANSWER_MS } from './api-client.js';

/**
 * Pauses before an unanswered subscription is repeated, ms; the last pause recurs. bleak-esphome has the same pauses
 * (github.com/Bluetooth-Devices/bleak-esphome, pull request 394).
 */
const RETRY_MS = [10_000, 30_000, 60_000] as const;

/** A proxy that sends nothing about Bluetooth for this time may have another subscriber, ms; devices are remembered as long. */
export const SILENT_MS = 60_000;

/** A remedy for clients that take a proxy from each other. */
export const ONE_CLIENT =
  'use a proxy for each server and for Home Assistant, or connect Home Assistant over MQTT';

export interface SubscriptionOptions {
  readonly time: TimeSource;
  /** Called after each change of `state`, with the one before. */
  readonly changed: (before: SubscriptionState) => void;
  /** Asks for a message that only the subscriber gets. False: there is no link, and without one silence is no surprise. */
  readonly ask: () => boolean;
}

/**
 * `quiet`: accepted, but nothing has come for `SILENT_MS`, and there is no link to `ask` on; `silent`: nor has an answer by `ask` within
 * `ANSWER_MS`.
 */
export type SubscriptionState = 'pending' | 'refused' | 'accepted' | 'quiet' | 'silent';

export class Subscription {
  private current: SubscriptionState = 'pending';
  private heardAt = 0;
  private heardSince = new Date(0);
  private cancel: Cancel = () => undefined;

  constructor(private readonly options: SubscriptionOptions) {}

  get state(): SubscriptionState {
    return this.current;
  }

  get problem(): Required<Problem> | undefined {
    if (this.current === 'refused')
      return { what: "another client receives this proxy's advertisements", fix: ONE_CLIENT };
    if (this.current !== 'silent' && this.current !== 'quiet') return undefined;
    const since = this.heardSince.toISOString();
    return {
      what: `nothing heard since ${since}: another client may receive its advertisements`,
      fix: `${ONE_CLIENT}; a restart of this server takes the proxy back`,
    };
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
    else {
      send();
      this.watch();
    }
  }

  /** Takes note of a message that only the subscriber gets: about the scanner, advertisements or a link (`api_connection_` in `bluetooth_proxy.h` of ESPHome). */
  heard(): void {
    this.hear();
    if (this.current === 'accepted') return;
    this.cancel();
    this.change('accepted');
    this.watch();
  }

  end(): void {
    this.cancel();
  }

  private hear(): void {
    const { time } = this.options;
    this.heardAt = time.now();
    this.heardSince = time.date();
  }

  private change(state: SubscriptionState): void {
    const { current } = this;
    this.current = state;
    this.options.changed(current);
  }

  private request(send: () => void, pause: number, ...later: readonly number[]): void {
    this.cancel = this.options.time.after(pause, () => {
      if (this.current === 'pending') this.change('refused');
      const [next = pause, ...rest] = later;
      this.request(send, next, ...rest);
    });
    send();
  }

  /** Waits for a silence; with links, it is one only if a question stays unanswered, since linked devices do not advertise. */
  private watch(): void {
    const { time, ask } = this.options;
    const look = (act: () => void) => (): void => (this.silence < SILENT_MS ? this.watch() : act());
    this.cancel = time.after(
      SILENT_MS - this.silence,
      look(() => {
        if (ask())
          this.cancel = time.after(
            ANSWER_MS,
            look(() => this.change('silent')),
          );
        else this.change('quiet');
      }),
    );
  }

  private get silence(): number {
    return this.options.time.now() - this.heardAt;
  }
}
