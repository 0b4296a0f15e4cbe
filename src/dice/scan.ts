import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address, Advertisement, BleError, Radio } from '../ble/ports.js';
import { notConnected, radioError, shuttingDown, type ServerError } from '../http/index.js';
import { wait, type Unmet, type WaitLimits } from '../wait.js';
import type { DiscoveredDevice } from './contract.js';
import { isDiceName, NUS_SERVICE } from './protocol/index.js';

const isDie = ({ name, serviceUuids }: Advertisement): boolean =>
  (name !== null && isDiceName(name)) || serviceUuids.includes(NUS_SERVICE);

/** Listens until `heard` settles; Left at once if the adapter is off or goes off. */
const hear = <A>(
  radio: Radio,
  limits: WaitLimits,
  heard: (advertisement: Advertisement, settle: (value: A) => void) => void,
): TE.TaskEither<ServerError | Unmet, A> => {
  const off = (): E.Either<ServerError, never> =>
    E.left(radioError({ _tag: 'AdapterOff', state: radio.state } satisfies BleError));
  if (radio.state !== 'poweredOn') return TE.fromEither(off());
  return pipe(
    wait<E.Either<ServerError, A>>(limits, (settle) => {
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

/**
 * The dice that advertise within `limits.ms`, strongest signal first. Left: the adapter is off (CoreError), or
 * `limits.signal` gave it up (Unavailable).
 */
export const scan = (
  radio: Radio,
  limits: WaitLimits,
): TE.TaskEither<ServerError, readonly DiscoveredDevice[]> => {
  const dice = new Map<Address, DiscoveredDevice>();
  return pipe(
    hear<never>(radio, limits, (advertisement) => {
      if (!isDie(advertisement)) return;
      const { address, name, rssi } = advertisement;
      dice.set(address, { address, name: name ?? dice.get(address)?.name ?? '', rssi });
    }),
    TE.orElse((end) =>
      end === 'timeout'
        ? TE.right([...dice.values()].sort((a, b) => b.rssi - a.rssi))
        : TE.left(end === 'aborted' ? shuttingDown : end),
    ),
  );
};

/**
 * The last advertisement of a device, or the next one within `limits.ms`; one with its name if there is any, since a
 * die's name comes in a packet of its own. Left: `device_not_found`, the adapter is off, or `limits.signal` gave it up.
 */
export const findDevice = (
  radio: Radio,
  address: Address,
  limits: WaitLimits,
): TE.TaskEither<ServerError, Advertisement> => {
  let last = radio.heard(address);
  if (typeof last?.name === 'string' && radio.state === 'poweredOn') return TE.right(last);
  return pipe(
    hear<Advertisement>(radio, limits, (advertisement, settle) => {
      if (advertisement.address !== address) return;
      last = advertisement;
      if (advertisement.name !== null) settle(advertisement);
    }),
    TE.orElse((end) => {
      switch (end) {
        case 'timeout':
          return last === undefined
            ? TE.left(
                notConnected(
                  'device_not_found',
                  `device ${address} was not found: is it awake and in range?`,
                ),
              )
            : TE.right(last);
        case 'aborted':
          return TE.left(shuttingDown);
        default:
          return TE.left(end);
      }
    }),
  );
};
