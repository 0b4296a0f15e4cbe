import type { Alarm } from './alarm.js';
import type { SettingsRecord } from './settings.js';

/** The two ways to a clock, each with a characteristic to write and one that answers (docs/cgd1-protocol.md §2). */
export type Channel = 'auth' | 'data';

/** Bytes of a token. */
export const TOKEN_BYTES = 16;

/** Host to clock (docs/cgd1-protocol.md §3). */
export type Command =
  /** The first half of authentication; 16 bytes that the host made up. */
  | { readonly _tag: 'AuthInit'; readonly token: Buffer }
  /** The second half, with the same token. */
  | { readonly _tag: 'AuthConfirm'; readonly token: Buffer }
  /** Unix time in seconds, UTC: the clock adds its time zone itself. No command reads it. */
  | { readonly _tag: 'SetTime'; readonly seconds: number }
  | { readonly _tag: 'ReadFirmware' }
  | { readonly _tag: 'ReadSettings' }
  /** All of the record; `encodeSettings` changes parts of it. */
  | { readonly _tag: 'WriteSettings'; readonly record: SettingsRecord }
  /** At once and not stored; per cent, in steps of 10. */
  | { readonly _tag: 'SetBrightness'; readonly brightness: number }
  /** Plays a beep; volume 1 to 5, null for that of the settings. */
  | { readonly _tag: 'PreviewRingtone'; readonly volume: number | null }
  | { readonly _tag: 'ReadAlarms' }
  /** Slots 0 to 15. */
  | { readonly _tag: 'SetAlarm'; readonly slot: number; readonly alarm: Alarm }
  | { readonly _tag: 'DeleteAlarm'; readonly slot: number }
  /** An upload begins: bytes that will come, at most `MAX_AUDIO`, and the signature of the tone, 8 hex digits. */
  | { readonly _tag: 'AudioInit'; readonly size: number; readonly signature: string }
  /** 128 bytes of it. */
  | { readonly _tag: 'AudioBlock'; readonly data: Buffer };

/** Every kind of command. */
export const COMMAND_TAGS = [
  'AuthInit',
  'AuthConfirm',
  'SetTime',
  'ReadFirmware',
  'ReadSettings',
  'WriteSettings',
  'SetBrightness',
  'PreviewRingtone',
  'ReadAlarms',
  'SetAlarm',
  'DeleteAlarm',
  'AudioInit',
  'AudioBlock',
] as const satisfies readonly Command['_tag'][];

export type CommandTag = (typeof COMMAND_TAGS)[number];
