import { isolated } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Noble } from './internals.js';

/** The silence after which a scan is restarted, ms: some adapters stop reporting. */
const SILENCE_MS = 30_000;

/**
 * Starts and stops the scan of an adapter, and restarts it where noble does not: after a refusal, which noble reports as success, and
 * after another program has ended it.
 */
export class Scan {
  private noble: Noble | undefined;
  private enabled = false;
  private paused = false;
  private running = false;
  private watchdog: Cancel | undefined;

  constructor(private readonly time: TimeSource) {}

  /** Scans by this noble from now on; undefined: the adapter is off. */
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

  enable(enabled: boolean): void {
    this.enabled = enabled;
    this.update();
  }

  /** Pauses the scan while an adapter makes a connection that cannot do both. */
  pause(paused: boolean): void {
    this.paused = paused;
    this.update();
  }

  /** Takes note of a packet, which shows that the scan works. */
  packetReceived(): void {
    this.watch();
  }

  private update(): void {
    const { noble } = this;
    const shouldScan = this.enabled && !this.paused && noble !== undefined;
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
