import {
  encodeSettings,
  parseTimeOfDay,
  type Alarm,
  type SettingsRecord,
} from '../../../src/protocols/cgd1/index.js';
import type { AlarmBody, StartBody } from './codecs.js';
import type { ClockStart } from './state.js';
import type { ClockBehaviour } from './behaviour.js';

const timeIn = (time: string | undefined) => (time === undefined ? undefined : parseTimeOfDay(time));

/** The record with the settings that change it. */
const recordOf = ({ settings, settings_hex }: StartBody): SettingsRecord =>
  encodeSettings(Buffer.from(settings_hex, 'hex'), {
    ...settings,
    night_start: timeIn(settings.night_start),
    night_end: timeIn(settings.night_end),
  });

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
