import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  Days,
  channelOf,
  encodeCommand,
  encodeNotification,
  encodeSettings,
  type Alarm,
  type Channel,
  type Command,
  type Settings,
} from '../../src/protocols/cgd1/index.js';
import { FACTORY_RECORD, FACTORY_TIME } from '../../simulators/devices/cgd1/factory.js';
import { ClockModel } from '../../simulators/devices/cgd1/model.js';
import type { ClockStart } from '../../simulators/devices/cgd1/state.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/cgd1/behaviour.js';
import { manualTime } from '../support/manual-time.js';

export const token = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
export const other = Buffer.alloc(16, 0x5a);

const usual: ClockStart = {
  reading: { temperature: 21.5, humidity: 45 },
  battery: 100,
  firmware: '1.0.1_0130',
  time: FACTORY_TIME,
  token: null,
  alarms: [],
  record: FACTORY_RECORD,
  behaviour: USUAL_BEHAVIOUR,
};

/** A clock without a radio, whose time a test advances; `notified` returns its notifications since the last call. */
export const clockWith = (start: Partial<ClockStart> = {}) => {
  const time = manualTime(1_000_000);
  const notifications: (readonly [Channel, string])[] = [];
  const events: JsonRecord[] = [];
  let drops = 0;
  const clock = new ClockModel(
    { ...usual, ...start },
    {
      time,
      notify: (channel, notification) =>
        void notifications.push([channel, encodeNotification(notification).toString('hex')]),
      dropLink: () => void (drops += 1),
      changed: () => undefined,
      happened: (event) => void events.push(event()),
    },
  );
  const send = (...commands: readonly Command[]): void => {
    for (const command of commands) clock.write(channelOf(command), encodeCommand(command));
  };
  const notified = () => notifications.splice(0);
  return {
    ...{ clock, time, send, notified, events },
    /** The same notifications, without their channels. */
    messages: () => notified().map(([, hex]) => hex),
    drops: () => drops,
    /** Authenticates the owner on the link. */
    owned: () => {
      send({ _tag: 'AuthInit', token }, { _tag: 'AuthConfirm', token });
      notified();
    },
  };
};

export const ownedClock = (start: Partial<ClockStart> = {}) => {
  const fixture = clockWith(start);
  fixture.owned();
  return fixture;
};

export const settingsWith = (changes: Partial<Settings>): Command => ({
  _tag: 'WriteSettings',
  record: encodeSettings(FACTORY_RECORD, changes),
});

export const alarmAt = (hour: number, minute: number, fields: Partial<Alarm> = {}): Alarm => ({
  ...{ enabled: true, hour, minute, days: Days.everyDay, snooze: false },
  ...fields,
});

/** 2024-01-01 was a Monday. */
export const MONDAY = Date.UTC(2024, 0, 1);
export const HOUR = 3600;
