/** The handlers of the commands to clocks. */
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
import type { CommandQueue } from './command-queue.js';
import type { Alarm, Commands, Requests } from './contract.js';
import type { Events } from './events.js';
import type { ClockMemory } from './memory.js';
import { recordCommands } from './record-handlers.js';
import type { Reads } from './reads.js';
import type { Scan } from './scan.js';
import type { Sessions } from './sessions.js';
import { changed, storedIn } from './settings.js';
import { syncTime } from './cgd1/time-sync.js';
import type { Command as ClockCommand } from '../protocols/cgd1/index.js';
import type { Zones } from './zones.js';

/** The context of a command: the connection on which it came. */
export interface CommandContext extends RequestContext {
  readonly receiver: Receiver;
  readonly pieces: Pieces;
  /** Runs `task` after the answer to the command. */
  readonly afterwards: (task: () => void) => void;
}

export interface CommandsOptions {
  readonly scan: Scan;
  readonly time: TimeSource;
  readonly sessions: Sessions;
  readonly events: Events;
  readonly queue: CommandQueue;
  readonly zones: Zones;
  readonly reads: Reads;
  readonly memory: ClockMemory;
  /** Called when the label of a clock has changed. */
  readonly changed: (address: Address) => void;
}

const settingAlarm = ({ slot, time, repeat_mask: days, enabled, snooze }: Alarm): ClockCommand => ({
  _tag: 'SetAlarm',
  slot,
  alarm: { ...time, days, enabled, snooze },
});

type RequestHandlers<N extends keyof Requests> = Pick<Handlers<Requests, DeviceError>, N>;

const alarmRequests = (
  queue: CommandQueue,
): RequestHandlers<'set_alarm' | 'change_alarm' | 'delete_alarm'> => ({
  set_alarm: queue.execute<Requests['set_alarm']['input'], Alarm>(
    'set_alarm',
    settingAlarm,
    ({ slot, time, repeat_mask, enabled, snooze }) => ({ slot, time, repeat_mask, enabled, snooze }),
  ),
  /** Reads, changes and writes as one entry of the queue, so that no concurrent change is lost. */
  change_alarm: (parameters, context) =>
    queue.run('change_alarm', parameters, context, (device) =>
      pipe(
        device.alarms,
        TE.chainEitherK((set) => changedAlarm(parameters, set)),
        TE.chainFirst((alarm) => device.execute('change_alarm', settingAlarm(alarm))),
      ),
    ),
  delete_alarm: queue.execute(
    'delete_alarm',
    ({ slot }) => ({ _tag: 'DeleteAlarm', slot }),
    ({ address, slot }) => ({ address, slot, deleted: true }),
  ),
});

const settingsRequests = ({
  time,
  zones,
  queue,
}: CommandsOptions): RequestHandlers<'write_settings' | 'set_brightness' | 'preview_ringtone'> => ({
  /** Reads, changes and writes as one entry of the queue. */
  write_settings: (parameters, context) => {
    const { address } = parameters;
    return queue.run('write_settings', parameters, context, (device) =>
      pipe(
        device.settings('write_settings'),
        TE.bindTo('record'),
        TE.bind('zone', () => TE.fromTask(() => zones.of(address))),
        TE.chainEitherK(({ record, zone }) => storedIn(address, record, zone)),
        // Decoded before the write: a failure after it could not undo the write.
        TE.chainEitherK((stored) => changed(address, stored, parameters.settings, time.date())),
        TE.chainFirst(({ record }) => device.execute('write_settings', { _tag: 'WriteSettings', record })),
        TE.map(({ settings }) => {
          zones.set(address, settings.timezone, settings.timezone_offset_minutes);
          return settings;
        }),
      ),
    );
  },
  set_brightness: queue.execute(
    'set_brightness',
    ({ value: brightness }) => ({ _tag: 'SetBrightness', brightness }),
    ({ address, value: brightness }) => ({ address, brightness }),
  ),
  preview_ringtone: queue.execute(
    'preview_ringtone',
    ({ volume = null }) => ({ _tag: 'PreviewRingtone', volume }),
    ({ address }) => ({ address, previewing: true }),
  ),
});

const connectionCommands = ({
  sessions,
  events,
  queue,
}: CommandsOptions): Omit<Handlers<Commands, DeviceError, CommandContext>, keyof Requests> => ({
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
  /** Takes pieces at once, in the order in which they came; only the whole file waits for the clock. */
  upload_ringtone: (parameters, context) => {
    const { address } = parameters;
    const taken = pipe(
      sessions.check(address),
      E.chain(() => context.pieces.take({ ...parameters, data: Buffer.from(parameters.data) })),
    );
    if (E.isLeft(taken)) return TE.fromEither(taken);
    const { received, tone } = taken.right;
    if (tone === null) return TE.right({ address, received, ringtone: null });
    const sending = queue.run('upload_ringtone', parameters, context, (device) =>
      pipe(
        uploadTone(device, tone.samples, (sent, total) =>
          events.publish(address, { event: 'upload_progress', data: { sent, total } }),
        ),
        TE.map((ringtone) => ({ address, received, ringtone })),
      ),
    );
    return () => sending().finally(tone.release);
  },
});

/** `requests`: handlers for any transport; `all`: these, and handlers that need the connection of a client. */
export const clockCommands = (options: CommandsOptions) => {
  const { scan, time, sessions, queue, reads } = options;
  const requests: Handlers<Requests, DeviceError> = {
    scan: ({ duration_secs }, { signal }) => scan({ time, ms: duration_secs * 1000, signal }),
    connect: ({ address: requested }, { signal }) =>
      pipe(
        sessions.connect(requested, signal),
        TE.map(({ session: { address }, paired }) => ({ address, connected: true, paired })),
      ),
    disconnect: ({ address }) =>
      pipe(
        sessions.disconnect(address),
        TE.map(() => ({ address, disconnected: true })),
      ),
    sync_time: (parameters, context) =>
      queue.run('sync_time', parameters, context, (device) =>
        pipe(
          syncTime(device, time, context.signal),
          TE.map((time) => ({ address: parameters.address, time: time.toISOString() })),
        ),
      ),
    read_alarms: ({ address }, { signal }) => reads.alarms(address, signal),
    read_settings: ({ address }, { signal }) => reads.settings(address, signal),
    read_firmware: ({ address }, { signal }) => reads.firmware(address, signal),
    read_battery: ({ address }, { signal }) => reads.battery(address, signal),
    ...alarmRequests(queue),
    ...settingsRequests(options),
    ...recordCommands(options),
  };
  const all: Handlers<Commands, DeviceError, CommandContext> = {
    ...requests,
    ...connectionCommands(options),
  };
  return { requests, all };
};
