/** Everything a client can have a clock do. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../ble/device-error.js';
import type { Address } from '../ble/ports.js';
import type { Receiver } from '../http/index.js';
import type { Clock } from '../time.js';
import type { Pieces } from './audio/pieces.js';
import { uploadTone } from './audio/upload.js';
import { results, type Command, type CommandName, type CommandOf } from './contract.js';
import type { Events } from './events.js';
import type { Reads } from './reads.js';
import type { Scan } from './scan.js';
import type { Sessions } from './sessions.js';
import { changed, settingsIn, toContract } from './settings.js';
import type { Command as ClockCommand } from './protocol/index.js';
import type { Sightings } from './sightings.js';

/** The connection that a command came on. */
export interface Caller {
  readonly receiver: Receiver;
  readonly pieces: Pieces;
  /** Aborted when the client has gone or the server shuts down. */
  readonly signal: AbortSignal;
  /** Runs `task` as soon as the command is answered. */
  readonly afterwards: (task: () => void) => void;
}

export interface CommandsOptions {
  readonly scan: Scan;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly sightings: Sightings;
  readonly events: Events;
  readonly reads: Reads;
}

/** Runs a command; Right is its `result`. */
export type RunCommand = (command: Command, caller: Caller) => TE.TaskEither<DeviceError, Json>;

export const clockCommands = ({
  scan,
  clock,
  sessions,
  sightings,
  events,
  reads,
}: CommandsOptions): RunCommand => {
  /** Tells subscribers what the clock made of a command. */
  const announced =
    (address: Address, command: CommandName) =>
    <A>(work: TE.TaskEither<DeviceError, A>): TE.TaskEither<DeviceError, A> => {
      const announce = (status: 'success' | 'failure'): void =>
        events.publish(address, { event: 'ack', data: { command, status } });
      return pipe(
        work,
        TE.bimap(
          (error) => {
            if (error._tag === 'Refused') announce('failure');
            return error;
          },
          (done) => {
            announce('success');
            return done;
          },
        ),
      );
    };

  /**
   * A command that the clock just acknowledges. Its answer is made in its turn: a task that is mapped outside of it
   * begins a moment later, and a later command would overtake it.
   */
  const tell = (
    { address, type }: { readonly address: Address; readonly type: CommandName },
    { signal }: Caller,
    command: ClockCommand,
    answer: () => Json,
  ): TE.TaskEither<DeviceError, Json> =>
    sessions.run(address, signal, (device) =>
      pipe(device.execute(type, command), announced(address, type), TE.map(answer)),
    );

  const setAlarm = (given: CommandOf<'set_alarm'>, caller: Caller): TE.TaskEither<DeviceError, Json> => {
    const { slot, time, repeat_mask, enabled, snooze } = given;
    const alarm = { ...time, days: repeat_mask, enabled, snooze };
    return tell(given, caller, { _tag: 'SetAlarm', slot, alarm }, () =>
      results.set_alarm.encode({ slot, time, repeat_mask, enabled, snooze }),
    );
  };

  /** Reads, changes and writes in one turn, so that nobody else's change is lost. */
  const writeSettings = (
    { address, type, settings: change }: CommandOf<'write_settings'>,
    { signal }: Caller,
  ): TE.TaskEither<DeviceError, Json> =>
    sessions.run(address, signal, (device) =>
      pipe(
        device.settings(type),
        TE.chainEitherK((record) => changed(address, record, change)),
        TE.bindTo('record'),
        // Before they are written: what comes after could not turn back a success.
        TE.bind('settings', ({ record }) => TE.fromEither(settingsIn(address, record))),
        TE.chainFirst(({ record }) => device.execute(type, { _tag: 'WriteSettings', record })),
        announced(address, type),
        TE.map(({ settings }) => results.write_settings.encode(toContract(settings))),
      ),
    );

  const syncTime = (
    { address, type }: CommandOf<'sync_time'>,
    { signal }: Caller,
  ): TE.TaskEither<DeviceError, Json> =>
    sessions.run(address, signal, (device) => {
      const seconds = Math.floor(clock.date().getTime() / 1000);
      return pipe(
        device.execute(type, { _tag: 'SetTime', seconds }),
        announced(address, type),
        TE.map(() => results.sync_time.encode({ address, time: new Date(seconds * 1000).toISOString() })),
      );
    });

  const subscribe = (address: Address, { receiver, afterwards }: Caller): E.Either<DeviceError, Json> =>
    pipe(
      sessions.check(address),
      E.map(() => {
        const isNew = events.subscribe(address, receiver);
        const battery = sightings.battery(address);
        if (isNew && battery !== undefined) {
          const { level } = battery;
          afterwards(() => events.tell(receiver, address, { event: 'battery_level', data: { level } }));
        }
        return results.subscribe_events.encode({ address, subscribed: true });
      }),
    );

  /** Pieces are taken at once, in the order they came; only the whole file waits for the clock. */
  const upload = (given: CommandOf<'upload_ringtone'>, caller: Caller): TE.TaskEither<DeviceError, Json> => {
    const { address, type } = given;
    const taken = pipe(
      sessions.check(address),
      E.chain(() => caller.pieces.take(given)),
    );
    if (E.isLeft(taken)) return TE.fromEither(taken);
    const { received, tone } = taken.right;
    const answer = (ringtone: string | null): Json =>
      results.upload_ringtone.encode({ address, received, ringtone });
    if (tone === null) return TE.right(answer(null));
    const sending = sessions.run(address, caller.signal, (device) =>
      pipe(
        uploadTone(device, tone.samples, (sent, total) =>
          events.publish(address, { event: 'upload_progress', data: { sent, total } }),
        ),
        announced(address, type),
        TE.map(answer),
      ),
    );
    return () => sending().finally(tone.release);
  };

  return (command, caller) => {
    switch (command.type) {
      case 'scan':
        return pipe(
          scan({ clock, ms: command.duration_secs * 1000, signal: caller.signal }),
          TE.map(results.scan.encode),
        );
      case 'connect':
        return pipe(
          sessions.connect(command.address, caller.signal),
          TE.map(({ session: { address }, paired }) =>
            results.connect.encode({ address, connected: true, paired }),
          ),
        );
      case 'disconnect': {
        const { address } = command;
        return pipe(
          sessions.disconnect(address),
          TE.map(() => results.disconnect.encode({ address, disconnected: true })),
        );
      }
      case 'sync_time':
        return syncTime(command, caller);
      case 'read_alarms':
        return reads.alarms(command.address, caller.signal);
      case 'set_alarm':
        return setAlarm(command, caller);
      case 'delete_alarm': {
        const { address, slot } = command;
        return tell(command, caller, { _tag: 'DeleteAlarm', slot }, () =>
          results.delete_alarm.encode({ address, slot, deleted: true }),
        );
      }
      case 'read_settings':
        return reads.settings(command.address, caller.signal);
      case 'write_settings':
        return writeSettings(command, caller);
      case 'set_brightness': {
        const { address, value: brightness } = command;
        return tell(command, caller, { _tag: 'SetBrightness', brightness }, () =>
          results.set_brightness.encode({ address, brightness }),
        );
      }
      case 'preview_ringtone': {
        const { address, volume = null } = command;
        return tell(command, caller, { _tag: 'PreviewRingtone', volume }, () =>
          results.preview_ringtone.encode({ address, previewing: true }),
        );
      }
      case 'read_firmware':
        return reads.firmware(command.address, caller.signal);
      case 'read_battery':
        return reads.battery(command.address, caller.signal);
      case 'subscribe_events':
        return TE.fromEither(subscribe(command.address, caller));
      case 'unsubscribe_events': {
        const { address } = command;
        events.unsubscribe(address, caller.receiver);
        return TE.right(results.unsubscribe_events.encode({ address, subscribed: false }));
      }
      case 'upload_ringtone':
        return upload(command, caller);
    }
  };
};
