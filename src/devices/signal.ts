/** The signal of links, read again and again. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../async/defects.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Link } from '../ble/ports.js';

export interface SignalOptions {
  readonly time: TimeSource;
  readonly everyMs: number;
  /** dBm; null: the adapter does not know it. */
  readonly report: (rssi: number | null) => void;
}

/**
 * Reads the signal of a link until the link ends. The adapter answers from what it received last (HCI_Read_RSSI, Core 5.4
 * Vol 4 Part E 7.5.4): nothing is sent to the device.
 */
export const followSignal = (link: Link, { time, everyMs, report }: SignalOptions): void => {
  let cancel: Cancel = () => undefined;
  const read = async (): Promise<void> => {
    const signal = await link.rssi();
    if (E.isLeft(signal) || link.ended !== undefined) return;
    report(signal.right);
    wait();
  };
  const wait = (): void => {
    cancel = time.after(everyMs, () => detached(read()));
  };
  wait();
  link.onEnd(() => cancel());
};
