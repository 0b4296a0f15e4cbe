/** The search for a device by its advertisements. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Cancel } from '../async/time.js';
import { wait, type Unmet, type WaitLimits } from '../async/wait.js';
import { ABORTED, type DeviceError } from './device-error.js';
import { adapterOff } from '../ble/adapter-off.js';
import type { AdapterState, Address, Advertisement, BleError, Radio } from '../ble/ports.js';

/** Waits as `wait` does. Left `AdapterOff`: the adapter went off, or was off and `start` was not called. */
export const whilePoweredOn =
  <A>(
    radio: Radio,
    limits: WaitLimits,
    start: (settle: (value: A) => void) => Cancel,
  ): TE.TaskEither<BleError | Unmet, A> =>
  async () => {
    const outcome = await wait<E.Either<BleError, A>>(limits, (settle) => {
      const check = (state: AdapterState): void => {
        if (state !== 'poweredOn') settle(E.left(adapterOff({ state, problem: radio.problem })));
      };
      const stop = radio.state === 'poweredOn' ? start((value) => settle(E.right(value))) : undefined;
      const unwatch = radio.onState(check);
      check(radio.state);
      return () => {
        stop?.();
        unwatch();
      };
    })();
    return E.flattenW(outcome);
  };

/** Weaker than every signal that an adapter reports, dBm. */
const UNKNOWN_RSSI = -128;

interface Found {
  readonly address: Address;
  /** dBm; null: unknown. */
  readonly rssi: number | null;
}

/** Sorts devices: the strongest signal first, equal signals by address, unknown signals last. */
export const strongestFirst = (a: Found, b: Found): number =>
  (b.rssi ?? UNKNOWN_RSSI) - (a.rssi ?? UNKNOWN_RSSI) || (a.address < b.address ? -1 : 1);

const named = ({ name }: Advertisement): boolean => name !== null;

/**
 * The last advertisement of a device, or the next within `limits.ms`; preferably `enough`, since a device
 * describes itself in several packets. Left `NotFound`, `AdapterOff`, or `Aborted` by `limits.signal`.
 */
export const findDevice = (
  radio: Radio,
  address: Address,
  limits: WaitLimits,
  enough: (advertisement: Advertisement) => boolean = named,
): TE.TaskEither<DeviceError, Advertisement> => {
  let last = radio.lastAdvertisement(address);
  if (last !== undefined && enough(last) && radio.state === 'poweredOn') return TE.right(last);
  return pipe(
    whilePoweredOn<Advertisement>(radio, limits, (settle) =>
      radio.listen((advertisement) => {
        if (advertisement.address !== address) return;
        last = advertisement;
        if (enough(advertisement)) settle(advertisement);
      }),
    ),
    TE.orElse((end): TE.TaskEither<DeviceError, Advertisement> => {
      if (end === 'aborted') return TE.left(ABORTED);
      if (end !== 'timeout') return TE.left(end);
      return last === undefined ? TE.left({ _tag: 'NotFound', address }) : TE.right(last);
    }),
  );
};
