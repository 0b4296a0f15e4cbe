import {
  encodeSettings,
  parseTimeOfDay,
  type Alarm,
  type Settings,
  type SettingsRecord,
} from '../../src/clock/cgd1/protocol/index.js';
import type { AlarmBody, SettingsBody, StartBody, BehaviourBody } from './codecs.js';
import type { ClockStart } from './state.js';
import type { ClockBehaviour } from './behaviour.js';

export const behaviourOf = (body: BehaviourBody): ClockBehaviour => ({
  wrongToken: body.wrong_token,
  silentCommands: body.silent_commands,
  refusedCommands: body.refused_commands,
  ackDelayMs: body.ack_delay_ms,
  alarmPackets: body.alarm_packets,
  ackForm: body.ack_form,
  firmwareForm: body.firmware_form,
  batteryService: body.battery_service,
  mtu: body.mtu,
});

const settingsOf = (body: SettingsBody): Partial<Settings> => ({
  ...(body.volume !== undefined && { volume: body.volume }),
  ...(body.language !== undefined && { language: body.language }),
  ...(body.time_format !== undefined && { timeFormat: body.time_format }),
  ...(body.temperature_unit !== undefined && { temperatureUnit: body.temperature_unit }),
  ...(body.alarms_enabled !== undefined && { alarmsEnabled: body.alarms_enabled }),
  ...(body.timezone_offset_minutes !== undefined && { timezoneOffsetMinutes: body.timezone_offset_minutes }),
  ...(body.screen_light_secs !== undefined && { screenLightSecs: body.screen_light_secs }),
  ...(body.brightness !== undefined && { brightness: body.brightness }),
  ...(body.night_brightness !== undefined && { nightBrightness: body.night_brightness }),
  ...(body.night_mode_enabled !== undefined && { nightModeEnabled: body.night_mode_enabled }),
  ...(body.night_start !== undefined && { nightStart: parseTimeOfDay(body.night_start) }),
  ...(body.night_end !== undefined && { nightEnd: parseTimeOfDay(body.night_end) }),
  ...(body.ringtone !== undefined && { ringtone: body.ringtone }),
});

/** The record with the settings that change it. */
const recordOf = (body: Pick<StartBody, 'settings' | 'settings_hex'>): SettingsRecord =>
  encodeSettings(Buffer.from(body.settings_hex, 'hex'), settingsOf(body.settings));

const alarmOf = (body: AlarmBody): Alarm => ({
  enabled: body.enabled,
  ...parseTimeOfDay(body.time),
  days: body.repeat_mask,
  snooze: body.snooze,
});

const alarmsOf = (bodies: readonly AlarmBody[]): readonly (Alarm | null)[] =>
  bodies.reduce<readonly (Alarm | null)[]>(
    (alarms, body) => Object.assign([...alarms], { [body.slot]: alarmOf(body) }),
    [],
  );

/** The clock that a start state describes. */
export const startOf = (body: StartBody, behaviour: ClockBehaviour): ClockStart => ({
  reading: { temperature: body.temperature, humidity: body.humidity },
  battery: body.battery,
  firmware: body.firmware,
  time: Date.parse(body.time),
  token: body.token === null ? null : Buffer.from(body.token, 'hex'),
  alarms: alarmsOf(body.alarms),
  record: recordOf(body),
  behaviour,
});
