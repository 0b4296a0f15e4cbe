/** The way from an address to a linked and authenticated clock. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../devices/device-error.js';
import type { Address, Advertisement, Link, Radio } from '../ble/ports.js';
import { openedOn } from '../ble/opened-on.js';
import { findDevice } from '../devices/search.js';
import type { TimeSource } from '../async/time.js';
import { authenticate } from './cgd1/authentication.js';
import { AlarmClock, CLOCK_PROFILE } from './cgd1/clock.js';
import type { ClockLimits } from './config.js';
import type { Sightings } from './sightings.js';
import type { TokenStore } from './tokens/token-store.js';

/** How long a clock that advertises may take to send both its name and its readings, which are in different packets, ms. */
const COMPLETE_MS = 3_000;

export interface OpeningOptions {
  readonly radio: Radio;
  readonly limits: ClockLimits;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly tokens: TokenStore;
  readonly sightings: Sightings;
}

/** The advertisement of a clock before it was connected. */
export interface Found {
  readonly name: string;
  /** dBm; null: unknown. */
  readonly rssi: number | null;
}

export interface Opened {
  readonly device: AlarmClock;
  /** Whether it has just been bound. */
  readonly paired: boolean;
}

/**
 * Waits for an advertisement of a clock, and then a little longer for its name and its readings. Left `OtherDevice`: it has a
 * name, but no sign of a clock.
 */
export const findClock = (
  { radio, time, limits, sightings }: OpeningOptions,
  address: Address,
  signal: AbortSignal,
): TE.TaskEither<DeviceError, Found> => {
  /** An old name does not count: the clock may have another name now. */
  const complete = ({ name }: Advertisement): boolean =>
    name !== null && sightings.of(address)?.reading != null;
  return pipe(
    findDevice(radio, address, { time, ms: limits.find, signal }, () => true),
    TE.chain(() => findDevice(radio, address, { time, ms: COMPLETE_MS, signal }, complete)),
    TE.chain(({ name, rssi }): TE.TaskEither<DeviceError, Found> => {
      const sighting = sightings.of(address);
      return sighting === undefined && name !== null
        ? TE.left({ _tag: 'OtherDevice', address, name, expected: 'clock' })
        : TE.right({ name: sighting?.name ?? name ?? '', rssi });
    }),
  );
};

/** Subscribes to a clock and authenticates; ends the link if that fails. */
const prepare = (
  link: Link,
  { time, log, limits, tokens, sightings }: OpeningOptions,
  signal: AbortSignal,
): TE.TaskEither<DeviceError, Opened> => {
  const device = new AlarmClock(link, {
    ...{ time, log, answerMs: limits.answer },
    onBattery: (level) => sightings.measured(link.address, level, 'notification'),
  });
  return openedOn(
    link,
    signal,
    pipe(
      device.subscribed,
      TE.chainW(() => authenticate(device, tokens)),
      TE.map((paired) => ({ device, paired })),
    ),
  );
};

/** Connects a clock that has advertised lately, and authenticates. There is no link after Left. */
export const connectAndAuthenticate = (
  options: OpeningOptions,
  address: Address,
  signal: AbortSignal,
): TE.TaskEither<DeviceError, Opened> =>
  pipe(
    options.radio.connect(address, CLOCK_PROFILE, signal),
    TE.chain((link) => prepare(link, options, signal)),
  );
