/**
 * Whether the date can be trusted to judge the age of stored rows. A machine without a battery-backed clock starts with any
 * date, until it hears the right one.
 */
import type { Logger } from 'pino';
import { HOUR_MS, MINUTE_MS, type Cancel, type TimeSource } from '../async/time.js';
import type { Store } from './store.js';

/** Facts about the clock from the program and the system. */
export interface ClockFacts {
  /** When the program was built: an earlier clock is wrong. Null: unknown. */
  readonly built: Date | null;
  /** Whether the system says that its clock is synchronised; null: it says nothing. Never rejects. */
  readonly isSynchronised: () => Promise<boolean | null>;
}

export const NO_FACTS: ClockFacts = { built: null, isSynchronised: () => Promise.resolve(null) };

interface SystemClockOptions {
  /** The store of the rows; without a history no row has an age, and the clock is not looked at. */
  readonly store?: Pick<Store, 'state'>;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly clockFacts: ClockFacts;
}

/** A larger change of the date against monotonic time is a jump, ms. */
const JUMP_MS = MINUTE_MS;

/** How often the clock is looked at, ms. */
const LOOK_EVERY_MS = MINUTE_MS;

/** How long the clock must go without a jump, ms. */
const STEADY_MS = HOUR_MS;

export class SystemClock {
  /** The date less the monotonic time, ms, when it was last looked at. */
  private offset: number;
  /** When the last jump was noticed, or the start, in monotonic time. */
  private steadySince: number;
  private saysUnsynchronised = false;
  private cancelLook: Cancel = () => undefined;

  constructor(private readonly options: SystemClockOptions) {
    this.offset = this.currentOffset;
    this.steadySince = options.time.now();
    if (options.store?.state.state === 'off') return;
    const { built } = options.clockFacts;
    if (this.isWrong(this.date))
      options.log.warn(
        { built },
        "the system's clock is wrong: it is earlier than the build of this program",
      );
    this.lookLater();
  }

  /** Whether only a wrong clock can have told `date`, ms of the Unix epoch. */
  isWrong(date: number): boolean {
    const { built } = this.options.clockFacts;
    return built !== null && date < built.getTime();
  }

  /** The date by which ages can be judged now, ms of the Unix epoch; null: by none. */
  async trusted(): Promise<number | null> {
    const says = await this.options.clockFacts.isSynchronised();
    this.look();
    this.note(says);
    const isSteady = this.options.time.now() - this.steadySince >= STEADY_MS;
    return isSteady && says !== false && !this.isWrong(this.date) ? this.date : null;
  }

  close(): void {
    this.cancelLook();
  }

  private get date(): number {
    return this.options.time.date().getTime();
  }

  private get currentOffset(): number {
    return this.date - this.options.time.now();
  }

  private lookLater(): void {
    this.cancelLook = this.options.time.after(LOOK_EVERY_MS, () => {
      this.look();
      this.lookLater();
    });
  }

  private look(): void {
    const { time, log } = this.options;
    const jump = this.currentOffset - this.offset;
    this.offset += jump;
    if (Math.abs(jump) <= JUMP_MS) return;
    this.steadySince = time.now();
    const seconds = Math.round(jump / 1_000);
    log.warn({ seconds }, "the system's clock has jumped: no row is deleted by its age for an hour");
  }

  private note(says: boolean | null): void {
    const isNews = says === false && !this.saysUnsynchronised;
    this.saysUnsynchronised = says === false;
    if (isNews)
      this.options.log.warn(
        'the system says that its clock is not synchronised: no row is deleted by its age until it is',
      );
  }
}
