import type { Cancel, Clock } from '../../time.js';
import type { Noble } from './noble.js';

/** A scan that hears nothing for so long is started anew, milliseconds: adapters have been seen to fall silent. */
const SILENCE_MS = 30_000;

/**
 * The scan as it is wanted, kept true: noble reports success for scans that were refused, and forgets scans that
 * others ended.
 */
export class Scan {
  private noble: Noble | undefined;
  private wanted = false;
  private paused = false;
  private running = false;
  private watchdog: Cancel | undefined;

  constructor(private readonly clock: Clock) {}

  /** The adapter is on, and this noble serves it; undefined when it is off. */
  use(noble: Noble | undefined): void {
    this.noble = noble;
    this.running = false;
    noble?.on('scanStop', () => {
      if (this.noble !== noble || !this.running) return;
      this.running = false;
      this.settle();
    });
    this.settle();
  }

  want(wanted: boolean): void {
    this.wanted = wanted;
    this.settle();
  }

  /** Holds the scan back while an adapter that cannot do both makes a connection. */
  pause(paused: boolean): void {
    this.paused = paused;
    this.settle();
  }

  /** A packet was heard: the scan is alive. */
  heard(): void {
    this.watch();
  }

  private settle(): void {
    const { noble } = this;
    const due = this.wanted && !this.paused && noble !== undefined;
    if (due && !this.running) {
      this.running = true;
      noble.startScanning([], true);
    } else if (!due && this.running) {
      this.running = false;
      noble?.stopScanning();
    }
    this.watch();
  }

  private watch(): void {
    this.watchdog?.();
    this.watchdog = this.running
      ? this.clock.after(SILENCE_MS, () => {
          this.pause(true);
          this.pause(false);
        })
      : undefined;
  }
}
