/** The time zones that clocks follow: the offset of a clock is that of its zone, after each connect and each change of summer time. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import { HOUR_MS, type Cancel, type TimeSource } from '../async/time.js';
import type { Address } from '../ble/ports.js';
import type { DeviceError } from '../devices/device-error.js';
import { encodeSettings } from '../protocols/cgd1/index.js';
import type { CommandQueue } from './command-queue.js';
import type { ClockMemory } from './memory.js';
import type { Sessions } from './sessions.js';
import { settingsIn } from './settings.js';
import { isTimeZone, nextChange, offsetAt } from './time-zone.js';

/** How often the offset is compared with the time of day, which may jump, ms. */
const COMPARE_MS = HOUR_MS;

interface ZonesOptions {
  readonly memory: Pick<ClockMemory, 'zoneOf' | 'setZone'> & {
    readonly records: Pick<ClockMemory['records'], 'loaded'>;
  };
  readonly sessions: Pick<Sessions, 'all' | 'isConnected' | 'run'>;
  readonly queue: Pick<CommandQueue, 'announced'>;
  readonly time: TimeSource;
  readonly log: Logger;
}

/** A link to a clock that follows a zone. */
interface Following {
  /** The last offset that the clock was given on this link; null: none, or it could not be written. */
  offset: number | null;
  cancel: Cancel;
  /** Aborted when the clock has no link any more, or follows another zone. */
  readonly over: AbortController;
}

export class Zones {
  private readonly links = new Map<Address, Following>();

  constructor(private readonly options: ZonesOptions) {}

  /** The zone of a clock, once the memory is read; null: the clock keeps its offset. Never rejects. */
  async of(address: Address): Promise<string | null> {
    const { memory } = this.options;
    await memory.records.loaded;
    return memory.zoneOf(address);
  }

  /** Sets the zone of a clock to which `offset` has just been written; null: the clock keeps its offset. */
  set(address: Address, zone: string | null, offset: number): void {
    const { memory, sessions } = this.options;
    if (zone !== memory.zoneOf(address)) memory.setZone(address, zone);
    this.leave(address);
    if (sessions.isConnected(address)) this.follow(address, offset);
  }

  /** Must be called whenever a session or a link has begun or ended. */
  changed(address: Address): void {
    if (!this.options.sessions.isConnected(address)) this.leave(address);
    else if (!this.links.has(address)) this.follow(address, null);
  }

  /** Must be called once the memory is read. */
  readonly loaded = (): void => {
    for (const { address } of this.options.sessions.all) this.changed(address);
  };

  close(): void {
    for (const address of [...this.links.keys()]) this.leave(address);
  }

  private follow(address: Address, offset: number | null): void {
    if (this.options.memory.zoneOf(address) === null) return;
    const link: Following = { offset, cancel: () => undefined, over: new AbortController() };
    this.links.set(address, link);
    this.compare(address, link);
  }

  private leave(address: Address): void {
    const link = this.links.get(address);
    link?.cancel();
    link?.over.abort();
    this.links.delete(address);
  }

  private compare(address: Address, link: Following): void {
    const { memory, time, log } = this.options;
    const zone = memory.zoneOf(address);
    if (zone === null) {
      this.leave(address);
      return;
    }
    if (!isTimeZone(zone)) {
      log.warn(
        { address, zone },
        'a clock keeps its offset: this version of Node does not know its time zone',
      );
      this.leave(address);
      return;
    }
    const now = time.date();
    const offset = offsetAt(zone, now);
    if (offset !== link.offset) {
      link.offset = offset;
      detached(this.write(address, link, offset));
    }
    const next = nextChange(zone, now, 1)?.getTime() ?? Infinity;
    link.cancel = time.after(Math.min(next - now.getTime(), COMPARE_MS), () => this.compare(address, link));
  }

  private write(address: Address, link: Following, offset: number): Promise<unknown> {
    const { sessions, queue, log } = this.options;
    const written = sessions.run(address, link.over.signal, (device) =>
      pipe(
        device.settings('write_settings'),
        TE.bindTo('record'),
        TE.bind('settings', ({ record }) => TE.fromEither(settingsIn(address, record))),
        TE.chain(({ record, settings }): TE.TaskEither<DeviceError, void> => {
          if (link.over.signal.aborted || settings.timezone_offset_minutes === offset)
            return TE.right(undefined);
          log.info({ address, offset }, 'a clock gets the offset of its time zone');
          const changed = encodeSettings(record, { timezone_offset_minutes: offset });
          return queue.announced(address, 'write_settings', () =>
            device.execute('write_settings', { _tag: 'WriteSettings', record: changed }),
          )(device);
        }),
      ),
    );
    return pipe(
      written,
      TE.mapLeft((error) => {
        log.info({ address, error }, 'the offset of a time zone could not be written');
        link.offset = null;
      }),
    )();
  }
}
