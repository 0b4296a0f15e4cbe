import { isolated } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Noble } from './internals.js';

/** A scan that receives nothing for so long is restarted, ms: some adapters stop reporting. */
const SILENCE_MS = 30_000;

/**
 * Keeps the adapter scanning, or not, as it is wanted: noble reports success for scans that were refused, and does not
 * restart scans that others ended.
 */
export class Scan {
  private noble: Noble | undefined;
  private wanted = false;
  private paused = false;
  private running = false;
  private watchdog: Cancel | undefined;

  constructor(private readonly time: TimeSource) {}

  /** The adapter is on, and this noble serves it; undefined when it is off. */
  use(noble: Noble | undefined): void {
    this.noble = noble;
    this.running = false;
    noble?.on(
      'scanStop',
      isolated(() => {
        if (this.noble !== noble || !this.running) return;
        this.running = false;
        this.update();
      }),
    );
    this.update();
  }

  want(wanted: boolean): void {
    this.wanted = wanted;
    this.update();
  }

  /** Stops the scan while an adapter that cannot do both makes a connection. */
  pause(paused: boolean): void {
    this.paused = paused;
    this.update();
  }

  /** A packet shows that the scan works: the time until a restart begins again. */
  packetReceived(): void {
    this.watch();
  }

  private update(): void {
    const { noble } = this;
    const shouldScan = this.wanted && !this.paused && noble !== undefined;
    if (shouldScan && !this.running) {
      this.running = true;
      noble.startScanning([], true);
    } else if (!shouldScan && this.running) {
      this.running = false;
      noble?.stopScanning();
    }
    this.watch();
  }

  private watch(): void {
    this.watchdog?.();
    this.watchdog = this.running
      ? this.time.after(SILENCE_MS, () => {
          this.pause(true);
          this.pause(false);
        })
      : undefined;
  }
}
