import type { Cancel, TimeSource } from '../../../src/async/time.js';

/** How long a preview and an alarm sound: not in any source (docs/cgd1-protocol.md §13). */
const PREVIEW_MS = 10_000;
const RING_MS = 60_000;

export class Sounds {
  private preview: Cancel | undefined;
  private alarm: { readonly slot: number; readonly stop: Cancel } | undefined;

  constructor(
    private readonly time: TimeSource,
    private readonly onChange: () => void,
  ) {}

  get previewing(): boolean {
    return this.preview !== undefined;
  }

  /** The slot of the alarm that rings. */
  get ringing(): number | null {
    return this.alarm?.slot ?? null;
  }

  playPreview(): void {
    this.preview?.();
    this.preview = this.time.after(PREVIEW_MS, () => {
      this.preview = undefined;
      this.onChange();
    });
    this.onChange();
  }

  /** Replaces an alarm that rings already. */
  playAlarm(slot: number): void {
    this.alarm?.stop();
    const stop = this.time.after(RING_MS, () => {
      this.alarm = undefined;
      this.onChange();
    });
    this.alarm = { slot, stop };
    this.onChange();
  }

  /** Stops all sounds and their timers. */
  silence(): void {
    this.preview?.();
    this.preview = undefined;
    this.alarm?.stop();
    this.alarm = undefined;
    this.onChange();
  }
}
