import { deviceKind } from '../device-kind.js';
import {
  encodeSettings,
  parseTimeOfDay,
  type Alarm,
  type SettingsRecord,
} from '../../../src/protocols/cgd1/index.js';
import { ClockBehaviour } from './behaviour.js';
import { StartBody, actionCodecs, type AlarmBody } from './codecs.js';
import type { ClockStart } from './state.js';
import { VirtualClock } from './virtual-clock.js';

const timeIn = (time: string | undefined) => (time === undefined ? undefined : parseTimeOfDay(time));

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

const startOf = (body: StartBody, behaviour: ClockBehaviour): ClockStart => ({
  reading: { temperature: body.temperature, humidity: body.humidity },
  battery: body.battery,
  firmware: body.firmware,
  time: Date.parse(body.time),
  token: body.token === null ? null : Buffer.from(body.token, 'hex'),
  alarms: alarmsOf(body.alarms),
  record: recordOf(body),
  behaviour,
});

/** Qingping CGD1. */
export const clock = deviceKind({
  addressPrefix: '58:2D:34',
  addressType: 'public',
  start: StartBody,
  actions: actionCodecs,
  behaviour: ClockBehaviour,
  make: (start, behaviour, context) => {
    const form = {
      header: parseInt(start.advertised_header, 16),
      batteryFlag: start.advertised_battery_flag,
      withBattery: start.advertised_battery,
    };
    return new VirtualClock(start.name, form, startOf(start, behaviour), context);
  },
});
