/** The work of each command. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import type { Handlers, Receiver, RequestContext } from '../operations/index.js';
import type { TimeSource } from '../async/time.js';
import type { Pieces } from './audio/pieces.js';
import { changedAlarm } from './alarm-change.js';
import { uploadTone } from './upload.js';
import { commands, type Alarm, type CommandName, type Commands, type Requests } from './contract.js';
import type { Events } from './events.js';
import type { Reads } from './reads.js';
import type { Scan } from './scan.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { Sessions } from './sessions.js';
import { changed, settingsIn } from './settings.js';
import { syncTime } from './cgd1/time-sync.js';
import type { Command as ClockCommand } from './cgd1/protocol/index.js';

/** The connection that a command came on. */
export interface CommandContext extends RequestContext {
  readonly receiver: Receiver;
  readonly pieces: Pieces;
  /** Runs `task` as soon as the command is answered. */
  readonly afterwards: (task: () => void) => void;
}

export interface CommandsOptions {
  readonly scan: Scan;
  readonly time: TimeSource;
  readonly sessions: Sessions;
  readonly events: Events;
  readonly reads: Reads;
}

type Work<A> = (device: AlarmClock) => TE.TaskEither<DeviceError, A>;

interface OfClock {
  readonly address: Address;
}

const settingAlarm = ({ slot, time, repeat_mask: days, enabled, snooze }: Alarm): ClockCommand => ({
  _tag: 'SetAlarm',
  slot,
  alarm: { ...time, days, enabled, snooze },
});

export const clockCommands = ({ scan, time, sessions, events, reads }: CommandsOptions) => {
  /** Sends subscribers the outcome of a command. */
  const announced =
    <A>(address: Address, command: CommandName, work: Work<A>): Work<A> =>
    (device) =>
    () =>
      work(device)().then((outcome) => {
        const succeeded = E.isRight(outcome);
        if (succeeded || outcome.left._tag === 'Refused') {
          const status = succeeded ? 'success' : 'failure';
          events.publish(address, { event: 'ack', data: { command, status } });
        }
        return outcome;
      });

  /** Queues `work`; subscribers receive its `ack` before its response. */
  const run = <A>(
    name: CommandName,
    { address }: OfClock,
    { signal }: RequestContext,
    work: Work<A>,
  ): TE.TaskEither<DeviceError, A> =>
    sessions.run(address, signal, commands[name].acknowledged ? announced(address, name, work) : work);

  /** The handler of a command that the clock just acknowledges, and the response to the client. */
  const execute =
    <Input extends OfClock, A>(
      name: CommandName,
      commandOf: (input: Input) => ClockCommand,
      responseOf: (input: Input) => A,
    ) =>
    (input: Input, context: RequestContext): TE.TaskEither<DeviceError, A> =>
      run(name, input, context, (device) =>
        pipe(
          device.execute(name, commandOf(input)),
          TE.map(() => responseOf(input)),
        ),
      );

  const requests: Handlers<Requests, DeviceError> = {
    scan: ({ duration_secs }, { signal }) => scan({ time, ms: duration_secs * 1000, signal }),
    connect: (given, { signal }) =>
      pipe(
        sessions.connect(given.address, signal),
        TE.map(({ session: { address }, paired }) => ({ address, connected: true, paired })),
      ),
    disconnect: ({ address }) =>
      pipe(
        sessions.disconnect(address),
        TE.map(() => ({ address, disconnected: true })),
      ),
    sync_time: (given, context) =>
      run('sync_time', given, context, (device) =>
        pipe(
          syncTime(device, time, context.signal),
          TE.map((time) => ({ address: given.address, time: time.toISOString() })),
        ),
      ),
    read_alarms: ({ address }, { signal }) => reads.alarms(address, signal),
    set_alarm: execute<Requests['set_alarm']['input'], Alarm>(
      'set_alarm',
      settingAlarm,
      ({ slot, time, repeat_mask, enabled, snooze }) => ({ slot, time, repeat_mask, enabled, snooze }),
    ),
    /** Reads, changes and writes as one entry of the queue, so that no concurrent change is lost. */
    change_alarm: (given, context) =>
      run('change_alarm', given, context, (device) =>
        pipe(
          device.alarms,
          TE.chainEitherK((set) => changedAlarm(given, set)),
          TE.chainFirst((alarm) => device.execute('change_alarm', settingAlarm(alarm))),
        ),
      ),
    delete_alarm: execute(
      'delete_alarm',
      ({ slot }) => ({ _tag: 'DeleteAlarm', slot }),
      ({ address, slot }) => ({ address, slot, deleted: true }),
    ),
    read_settings: ({ address }, { signal }) => reads.settings(address, signal),
    /** As one entry of the queue, too. */
    write_settings: (given, context) =>
      run('write_settings', given, context, (device) =>
        pipe(
          device.settings('write_settings'),
          TE.chainEitherK((record) => changed(given.address, record, given.settings)),
          TE.bindTo('record'),
          // Before they are written: what comes after could not turn back a success.
          TE.bind('settings', ({ record }) => TE.fromEither(settingsIn(given.address, record))),
          TE.chainFirst(({ record }) => device.execute('write_settings', { _tag: 'WriteSettings', record })),
          TE.map(({ settings }) => settings),
        ),
      ),
    set_brightness: execute(
      'set_brightness',
      ({ value: brightness }) => ({ _tag: 'SetBrightness', brightness }),
      ({ address, value: brightness }) => ({ address, brightness }),
    ),
    preview_ringtone: execute(
      'preview_ringtone',
      ({ volume = null }) => ({ _tag: 'PreviewRingtone', volume }),
      ({ address }) => ({ address, previewing: true }),
    ),
    read_firmware: ({ address }, { signal }) => reads.firmware(address, signal),
    read_battery: ({ address }, { signal }) => reads.battery(address, signal),
  };

  const all: Handlers<Commands, DeviceError, CommandContext> = {
    ...requests,
    subscribe_events: ({ address }, { receiver, afterwards }) =>
      pipe(
        sessions.check(address),
        E.map(() => {
          afterwards(events.subscribe(address, receiver));
          return { address, subscribed: true as const };
        }),
        TE.fromEither,
      ),
    unsubscribe_events: ({ address }, { receiver }) => {
      events.unsubscribe(address, receiver);
      return TE.right({ address, subscribed: false });
    },
    /** Pieces are taken at once, in the order they came; only the whole file waits for the clock. */
    upload_ringtone: (given, context) => {
      const { address } = given;
      const taken = pipe(
        sessions.check(address),
        E.chain(() => context.pieces.take({ ...given, data: Buffer.from(given.data) })),
      );
      if (E.isLeft(taken)) return TE.fromEither(taken);
      const { received, tone } = taken.right;
      if (tone === null) return TE.right({ address, received, ringtone: null });
      const sending = run('upload_ringtone', given, context, (device) =>
        pipe(
          uploadTone(device, tone.samples, (sent, total) =>
            events.publish(address, { event: 'upload_progress', data: { sent, total } }),
          ),
          TE.map((ringtone) => ({ address, received, ringtone })),
        ),
      );
      return () => sending().finally(tone.release);
    },
  };

  return { requests, all };
};
