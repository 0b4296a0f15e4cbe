import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type {
  Alarm,
  Channel,
  CommandTag,
  Notification,
  Reading,
  Settings,
  SettingsRecord,
} from '../../../src/protocols/cgd1/index.js';
import type { TimeSource } from '../../../src/async/time.js';
import type { ClockBehaviour } from './behaviour.js';
import type { Tone, Upload } from './tones.js';

export interface ClockStart {
  readonly reading: Reading;
  /** Per cent, 0 to 100, as advertised. */
  readonly battery: number;
  readonly firmware: string;
  /** The time that the clock shows: milliseconds since the Unix epoch, UTC. */
  readonly time: number;
  /** 16 bytes; null: the clock is not bound. */
  readonly token: Buffer | null;
  /** Alarms by slot; null and missing slots are empty. */
  readonly alarms: readonly (Alarm | null)[];
  /** All 18 bytes, of which `settings` are a part. */
  readonly record: SettingsRecord;
  readonly behaviour: ClockBehaviour;
}

export interface ClockState extends ClockStart {
  readonly settings: Settings;
  /** Whether the host on the link has shown the right token. */
  readonly authenticated: boolean;
  /** The signature of the tone that alarms play. */
  readonly ringtone: string;
  readonly upload: Upload | null;
  /** The last tone that arrived in full. */
  readonly uploaded: Tone | null;
  /** The current brightness, per cent. */
  readonly brightnessNow: number;
  readonly previewing: boolean;
  /** The slot of the alarm that rings. */
  readonly ringing: number | null;
  /** Commands received so far, by kind. */
  readonly commands: ReadonlyMap<CommandTag, number>;
}

export interface ClockContext {
  readonly time: TimeSource;
  readonly notify: (channel: Channel, notification: Notification) => void;
  readonly dropLink: () => void;
  /** Reports that `state` has changed. */
  readonly changed: () => void;
  /** Reports an event that `state` does not show. */
  readonly happened: (event: () => JsonRecord) => void;
}
