/** Scans that run at once and share the work on each packet. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { WaitLimits } from '../async/wait.js';
import { ABORTED, type DeviceError } from './device-error.js';
import { whilePoweredOn } from './search.js';
import type { Address, Advertisement, Radio, Unsubscribe } from '../ble/ports.js';

interface Found<A> {
  readonly device: A;
  /** The number of its last packet. */
  readonly packet: number;
}

/**
 * `read` makes a device's record from an advertisement and `before`, the record so far while scans ran; undefined: a scan
 * does not list the device.
 */
export const sharedScan = <A>(
  radio: Radio,
  read: (advertisement: Advertisement, before: A | undefined) => A | undefined,
) => {
  /** The device whose last packet is oldest comes first. */
  const devices = new Map<Address, Found<A>>();
  /** How many packets came before each scan that runs; the oldest scan comes first. */
  const scans = new Set<{ readonly after: number }>();
  let packets = 0;
  let unlisten: Unsubscribe | undefined;

  const receive = (advertisement: Advertisement): void => {
    const { address } = advertisement;
    const device = read(advertisement, devices.get(address)?.device);
    packets += 1;
    devices.delete(address);
    if (device !== undefined) devices.set(address, { device, packet: packets });
  };

  /** Drops devices that no running scan will list. */
  const prune = (): void => {
    const [oldest] = scans;
    for (const [address, { packet }] of devices) {
      if (oldest !== undefined && packet > oldest.after) return;
      devices.delete(address);
    }
  };

  /** Begins a scan; the returned function ends it and returns its devices. */
  const begin = (): (() => readonly A[]) => {
    const scan = { after: packets };
    scans.add(scan);
    unlisten ??= radio.listen(receive);
    return () => {
      const sinceStart = [...devices.values()].filter(({ packet }) => packet > scan.after);
      scans.delete(scan);
      prune();
      if (scans.size === 0) {
        unlisten?.();
        unlisten = undefined;
      }
      return sinceStart.map(({ device }) => device);
    };
  };

  return {
    /**
     * All devices that advertise within `limits.ms`, in the order of their last packets. Left `AdapterOff`: the adapter is
     * off or goes off; `Aborted`: by `limits.signal`.
     */
    run:
      (limits: WaitLimits): TE.TaskEither<DeviceError, readonly A[]> =>
      async () => {
        let devices: readonly A[] = [];
        const end = await whilePoweredOn<never>(radio, limits, () => {
          const finish = begin();
          return () => {
            devices = finish();
          };
        })();
        if (E.isRight(end) || end.left === 'timeout') return E.right(devices);
        return E.left(end.left === 'aborted' ? ABORTED : end.left);
      },
  };
};
