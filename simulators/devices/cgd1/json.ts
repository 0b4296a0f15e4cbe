import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { formatTimeOfDay, type Alarm, type Settings } from '../../../src/protocols/cgd1/index.js';
import type { ClockState } from './state.js';
import { ClockBehaviour, commandName } from './behaviour.js';

const alarmJson = (slot: number, alarm: Alarm): JsonRecord => ({
  slot,
  time: formatTimeOfDay(alarm),
  repeat_mask: alarm.days,
  enabled: alarm.enabled,
  snooze: alarm.snooze,
});

const settingsJson = (settings: Settings): JsonRecord => ({
  ...settings,
  night_start: formatTimeOfDay(settings.night_start),
  night_end: formatTimeOfDay(settings.night_end),
});

/**
 * A clock's state as the control API shows it. `time`: ISO 8601, UTC. `settings_hex`: all bytes of the record.
 * `ringtone`: the tone that alarms play. `commands`: how many were received, by name.
 */
export const clockJson = (state: ClockState): JsonRecord => ({
  temperature: state.reading.temperature,
  humidity: state.reading.humidity,
  battery: state.battery,
  firmware: state.firmware,
  time: new Date(state.time).toISOString(),
  alarms: state.alarms.flatMap((alarm, slot) => (alarm === null ? [] : [alarmJson(slot, alarm)])),
  settings: settingsJson(state.settings),
  settings_hex: state.record.toString('hex'),
  token: state.token?.toString('hex') ?? null,
  authenticated: state.authenticated,
  ringtone: state.ringtone,
  upload: state.upload && { ...state.upload },
  uploaded: state.uploaded && { ...state.uploaded },
  brightness_now: state.brightnessNow,
  previewing: state.previewing,
  ringing: state.ringing,
  commands: Object.fromEntries([...state.commands].map(([tag, count]) => [commandName(tag), count])),
  behaviour: ClockBehaviour.encode(state.behaviour),
});
