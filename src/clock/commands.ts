/** The work of each command. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import type { Handlers, Receiver, RequestContext } from '../operations/index.js';
import type { TimeSource } from '../async/time.js';
import type { Pieces } from './audio/pieces.js';
import { uploadTone } from './upload.js';
import { commands, type Alarm, type CommandName, type Commands, type Requests } from './contract.js';
import type { Events } from './events.js';
import type { Reads } from './reads.js';
import type { Scan } from './scan.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { Sessions } from './sessions.js';
import { changed, settingsIn, toContract } from './settings.js';
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
  /** Called when a clock has acknowledged an alarm. */
  readonly alarmSet: (address: Address, alarm: Alarm) => void;
}

export interface ClockCommands {
  readonly requests: Handlers<Requests, DeviceError>;
  readonly all: Handlers<Commands, DeviceError, CommandContext>;
}

type Work<A> = (device: AlarmClock) => TE.TaskEither<DeviceError, A>;

interface OfClock {
  readonly address: Address;
}

export const clockCommands = ({
  scan,
  time,
  sessions,
  events,
  reads,
  alarmSet,
}: CommandsOptions): ClockCommands => {
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

  /** A command that the clock just acknowledges, and the response to the client. */
  const execute = <A>(
    name: CommandName,
    given: OfClock,
    context: RequestContext,
    command: ClockCommand,
    answer: A,
  ): TE.TaskEither<DeviceError, A> =>
    run(
      name,
      given,
      context,
      (device) => () =>
        device
          .execute(name, command)()
          .then(E.map(() => answer)),
    );

  const requests: ClockCommands['requests'] = {
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
    set_alarm: (given, context) => {
      const { slot, time, repeat_mask, enabled, snooze } = given;
      const alarm = { ...time, days: repeat_mask, enabled, snooze };
      const answer = { slot, time, repeat_mask, enabled, snooze };
      return pipe(
        execute('set_alarm', given, context, { _tag: 'SetAlarm', slot, alarm }, answer),
        TE.map((set) => {
          alarmSet(given.address, set);
          return set;
        }),
      );
    },
    delete_alarm: (given, context) => {
      const { address, slot } = given;
      return execute(
        'delete_alarm',
        given,
        context,
        { _tag: 'DeleteAlarm', slot },
        { address, slot, deleted: true },
      );
    },
    read_settings: ({ address }, { signal }) => reads.settings(address, signal),
    /** Reads, changes and writes as one entry of the queue, so that no concurrent change is lost. */
    write_settings: (given, context) =>
      run('write_settings', given, context, (device) =>
        pipe(
          device.settings('write_settings'),
          TE.chainEitherK((record) => changed(given.address, record, given.settings)),
          TE.bindTo('record'),
          // Before they are written: what comes after could not turn back a success.
          TE.bind('settings', ({ record }) => TE.fromEither(settingsIn(given.address, record))),
          TE.chainFirst(({ record }) => device.execute('write_settings', { _tag: 'WriteSettings', record })),
          TE.map(({ settings }) => toContract(settings)),
        ),
      ),
    set_brightness: (given, context) => {
      const { address, value: brightness } = given;
      return execute(
        'set_brightness',
        given,
        context,
        { _tag: 'SetBrightness', brightness },
        { address, brightness },
      );
    },
    preview_ringtone: (given, context) => {
      const { address, volume = null } = given;
      return execute(
        'preview_ringtone',
        given,
        context,
        { _tag: 'PreviewRingtone', volume },
        { address, previewing: true },
      );
    },
    read_firmware: ({ address }, { signal }) => reads.firmware(address, signal),
    read_battery: ({ address }, { signal }) => reads.battery(address, signal),
  };

  const all: ClockCommands['all'] = {
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
