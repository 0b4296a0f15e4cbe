/** The handlers of the commands and endpoints about clocks that the server remembers. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address } from '../ble/ports.js';
import { seenOf } from '../contract/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { DeviceRecord } from '../devices/records.js';
import type { Handlers } from '../operations/index.js';
import type { ClockRecord, Endpoints, Requests } from './contract.js';
import type { ClockDetails, ClockMemory } from './memory.js';
import { clockNotConnected } from './session.js';
import type { Sessions } from './sessions.js';

interface HandlersOptions {
  readonly memory: ClockMemory;
  readonly sessions: Sessions;
  /** Called when the record of a clock has changed. */
  readonly changed: (address: Address) => void;
}

type RecordCommands = Pick<Handlers<Requests, DeviceError>, 'set_label' | 'keep_connected' | 'forget'>;

/** The handlers of the commands about clocks that the server remembers. */
export const recordCommands = ({ memory, sessions, changed }: HandlersOptions): RecordCommands => {
  const { records } = memory;

  const recordFor = (address: Address): TE.TaskEither<DeviceError, DeviceRecord<ClockDetails>> =>
    pipe(
      TE.fromTask(() => records.loaded),
      TE.chainEitherK(() => E.fromNullable(clockNotConnected(address))(records.of(address))),
    );

  return {
    set_label: ({ address, label }) =>
      pipe(
        recordFor(address),
        TE.map(() => {
          records.change(address, { label });
          changed(address);
          return { address, label };
        }),
      ),
    keep_connected: ({ address, keep_connected }) =>
      pipe(
        recordFor(address),
        TE.map(() => {
          records.change(address, { keepConnected: keep_connected });
          sessions.keepConnected({ address }, keep_connected);
          changed(address);
          return { address, keep_connected };
        }),
      ),
    forget: ({ address }) =>
      pipe(
        memory.isUsable,
        TE.chain(() => recordFor(address)),
        TE.chain(() => memory.forget(address)),
        TE.map(() => {
          sessions.keepConnected({ address }, false);
          changed(address);
          return { address, forgotten: true as const };
        }),
      ),
  };
};

/** The handlers of the endpoints about clocks that the server remembers. */
export const recordReads = (
  { records, readings }: ClockMemory,
  sessions: Sessions,
): Pick<Handlers<Endpoints, DeviceError>, 'clocks' | 'history'> => ({
  clocks: () =>
    pipe(
      TE.fromTask(() => records.loaded),
      TE.map(() =>
        records.all.map(
          ({ address, label, name, keepConnected, details: { timezone }, ...times }): ClockRecord => ({
            ...{ address, label, name: name ?? '', keep_connected: keepConnected, timezone },
            ...seenOf(times),
            connected: sessions.isConnected(address),
          }),
        ),
      ),
    ),
  history: ({ params: { address }, query }, { signal }) =>
    pipe(
      TE.fromTask(() => records.loaded),
      TE.chain(() =>
        records.of(address) === undefined
          ? TE.left<DeviceError>({ _tag: 'Unheard', address })
          : readings.history(address, query, signal),
      ),
    ),
});
