import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  formatTimeOfDay,
  type Alarm,
  type CommandTag,
  type Settings,
} from '../../src/clock/cgd1/protocol/index.js';
import type { ClockState } from './state.js';
import type { ClockBehaviour } from './behaviour.js';

/** `set_time` of `SetTime`. */
export const commandName = (tag: CommandTag): string =>
  tag.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

const alarmJson = (slot: number, alarm: Alarm): JsonRecord => ({
  slot,
  time: formatTimeOfDay(alarm),
  repeat_mask: alarm.days,
  enabled: alarm.enabled,
  snooze: alarm.snooze,
});

const settingsJson = (settings: Settings): JsonRecord => ({
  volume: settings.volume,
  language: settings.language,
  time_format: settings.timeFormat,
  temperature_unit: settings.temperatureUnit,
  alarms_enabled: settings.alarmsEnabled,
  timezone_offset_minutes: settings.timezoneOffsetMinutes,
  screen_light_secs: settings.screenLightSecs,
  brightness: settings.brightness,
  night_brightness: settings.nightBrightness,
  night_mode_enabled: settings.nightModeEnabled,
  night_start: formatTimeOfDay(settings.nightStart),
  night_end: formatTimeOfDay(settings.nightEnd),
  ringtone: settings.ringtone,
});

const behaviourJson = (behaviour: ClockBehaviour): JsonRecord => ({
  wrong_token: behaviour.wrongToken,
  silent_commands: behaviour.silentCommands.map(commandName),
  refused_commands: behaviour.refusedCommands.map(commandName),
  ack_delay_ms: behaviour.ackDelayMs,
  alarm_packets: behaviour.alarmPackets,
  ack_form: behaviour.ackForm,
  firmware_form: behaviour.firmwareForm,
  battery_service: behaviour.batteryService,
  mtu: behaviour.mtu,
});

/**
 * A clock's state as the control API shows it. `time`: ISO 8601, UTC. `settings_hex`: all bytes of the record.
 * `ringtone`: the tone that alarms play. `commands`: what was received so far, by name.
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
  behaviour: behaviourJson(state.behaviour),
});
