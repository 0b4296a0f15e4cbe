/** Hearing what advertises. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { wait, type Unmet, type WaitLimits } from '../wait.js';
import type { Address, Advertisement, BleError, Radio } from './ports.js';

/** `aborted`: the signal of its limits gave it up. */
export type SearchError = BleError | 'aborted';

/** Listens until `heard` settles; Left at once if the adapter is off or goes off. */
const hear = <A>(
  radio: Radio,
  limits: WaitLimits,
  heard: (advertisement: Advertisement, settle: (value: A) => void) => void,
): TE.TaskEither<BleError | Unmet, A> => {
  const off = (): E.Either<BleError, never> => E.left({ _tag: 'AdapterOff', state: radio.state });
  if (radio.state !== 'poweredOn') return TE.fromEither(off());
  return pipe(
    wait<E.Either<BleError, A>>(limits, (settle) => {
      const unlisten = radio.listen((advertisement) =>
        heard(advertisement, (value) => settle(E.right(value))),
      );
      const unwatch = radio.onState((state) => {
        if (state !== 'poweredOn') settle(off());
      });
      return () => {
        unlisten();
        unwatch();
      };
    }),
    TE.chainW(TE.fromEither),
  );
};

/** Below whatever an adapter reports, dBm. */
const UNKNOWN_STRENGTH = -128;

interface Audible {
  /** dBm; null: unknown. */
  readonly rssi: number | null;
}

/** The order of devices heard: strongest signal first, those of unknown strength last. */
export const byStrength = (a: Audible, b: Audible): number =>
  (b.rssi ?? UNKNOWN_STRENGTH) - (a.rssi ?? UNKNOWN_STRENGTH);

const named = ({ name }: Advertisement): boolean => name !== null;

/**
 * The last advertisement of a device, or the next one within `limits.ms`; one that is `enough` if there is any, since
 * a device says what it is in several packets. Left: `NotHeard`, the adapter is off, or it was given up.
 */
export const findDevice = (
  radio: Radio,
  address: Address,
  limits: WaitLimits,
  enough: (advertisement: Advertisement) => boolean = named,
): TE.TaskEither<SearchError, Advertisement> => {
  let last = radio.heard(address);
  if (last !== undefined && enough(last) && radio.state === 'poweredOn') return TE.right(last);
  return pipe(
    hear<Advertisement>(radio, limits, (advertisement, settle) => {
      if (advertisement.address !== address) return;
      last = advertisement;
      if (enough(advertisement)) settle(advertisement);
    }),
    TE.orElse((end) => {
      if (end !== 'timeout') return TE.left(end);
      return last === undefined ? TE.left<SearchError>({ _tag: 'NotHeard', address }) : TE.right(last);
    }),
  );
};
