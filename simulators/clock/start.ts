import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import {
  decodeSettings,
  encodeSettings,
  type Alarm,
  type Settings,
  type TimeOfDay,
} from '../../src/clock/protocol/index.js';
import { parseError, type ServerError } from '../../src/http/index.js';
import type { AlarmBody, SettingsBody, StartBody, TemperBody } from './codecs.js';
import { FACTORY_FIRMWARE, FACTORY_RECORD, FACTORY_TIME } from './factory.js';
import type { ClockStart } from './state.js';
import { EVEN_TEMPER, type ClockTemper } from './temper.js';

export const temperOf = (body: t.TypeOf<typeof TemperBody>): ClockTemper => ({
  wrongToken: body.wrong_token ?? EVEN_TEMPER.wrongToken,
  silentCommands: body.silent_commands ?? EVEN_TEMPER.silentCommands,
  ackDelayMs: body.ack_delay_ms ?? EVEN_TEMPER.ackDelayMs,
  alarmPackets: body.alarm_packets ?? EVEN_TEMPER.alarmPackets,
  ackForm: body.ack_form ?? EVEN_TEMPER.ackForm,
  firmwareForm: body.firmware_form ?? EVEN_TEMPER.firmwareForm,
  mtu: body.mtu ?? EVEN_TEMPER.mtu,
});

const timeOf = (text: string): TimeOfDay => ({
  hour: Number(text.slice(0, 2)),
  minute: Number(text.slice(3)),
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
  ...(body.night_start !== undefined && { nightStart: timeOf(body.night_start) }),
  ...(body.night_end !== undefined && { nightEnd: timeOf(body.night_end) }),
  ...(body.ringtone !== undefined && { ringtone: body.ringtone }),
});

const alarmOf = (body: AlarmBody): Alarm => ({
  enabled: body.enabled ?? true,
  ...timeOf(body.time),
  days: body.repeat_mask ?? 0,
  snooze: body.snooze ?? false,
});

const alarmsOf = (bodies: readonly AlarmBody[]): readonly (Alarm | null)[] =>
  bodies.reduce<readonly (Alarm | null)[]>(
    (alarms, body) => Object.assign([...alarms], { [body.slot]: alarmOf(body) }),
    [],
  );

/** The clock that a start state describes. Left: a record that no clock has. */
export const startOf = (body: StartBody): E.Either<ServerError, ClockStart> => {
  const base = body.settings_hex === undefined ? FACTORY_RECORD : Buffer.from(body.settings_hex, 'hex');
  const record = encodeSettings(base, settingsOf(body.settings ?? {}));
  return pipe(
    decodeSettings(record),
    E.bimap(
      ({ message }) => parseError(`settings_hex must be a record that a clock can have: ${message}`),
      () => ({
        reading: { temperature: body.temperature ?? 21.5, humidity: body.humidity ?? 45 },
        battery: body.battery ?? 100,
        firmware: body.firmware ?? FACTORY_FIRMWARE,
        time: body.time === undefined ? FACTORY_TIME : Date.parse(body.time),
        token: body.token === undefined || body.token === null ? null : Buffer.from(body.token, 'hex'),
        alarms: alarmsOf(body.alarms ?? []),
        record,
        temper: temperOf(body.temper ?? {}),
      }),
    ),
  );
};
