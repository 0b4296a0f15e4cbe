/** Defects of a clock server, each with the tag of the broken line of the contract. */
import { isObject, type Change, type Json, type JsonObject } from './mutating-proxy.js';
import {
  add,
  always,
  answers,
  doubled,
  drop,
  each,
  edit,
  lost,
  messages,
  mutations,
  rename,
  reverse,
  set,
  status,
  wrap,
  type Edit,
  type Mutation,
} from './mutation.js';

const ADDRESS = '58:2D:34:00:00:01';

const isResponse = (message: JsonObject): boolean => !('event' in message);
const isSuccess = (message: JsonObject): boolean => message['error'] === null;
const responses = (change: Edit): Change => messages(isResponse, change);
const successes = (change: Edit): Change =>
  messages((message) => isResponse(message) && isSuccess(message), change);

const failures = (change: (response: JsonObject) => Json): Change => ({
  message: (message) => [isResponse(message) && !isSuccess(message) ? change(message) : message],
});

/** A change of the successful result of one command. */
const resultOf = (type: string, change: Edit): Change => ({
  message: (message, command) => [
    command?.['type'] === type && isSuccess(message) ? edit('result', change)(message) : message,
  ],
});
const withField = (type: string, fields: JsonObject): Change => resultOf(type, set(fields));
const eachClock = (change: Edit): Change => resultOf('scan', each(change));

/** A change of the events of one name. */
const event = (name: string, change: Edit): Change =>
  messages((message) => message['event'] === name, change);
const dataOf = (name: string, change: Edit): Change => event(name, edit('data', change));

/** A change of one command before the server sees it. */
const commanded = (type: string, change: Edit): Change => ({
  say: (message) => {
    const { command } = message;
    return isObject(command) && command['type'] === type ? edit('command', change)(message) : message;
  },
});

/** Every answer to a command is a success. */
const alwaysSucceeds = (type: string): Change => ({
  message: (message, command) => [
    command?.['type'] === type && !isSuccess(message)
      ? { ...message, result: { address: command['address'] }, error: null }
      : message,
  ],
});

/** Every answer to a command is a failure. */
const alwaysFails = (type: string): Change => ({
  message: (message, command) => [
    command?.['type'] === type ? { ...message, result: null, error: 'it does not work' } : message,
  ],
});

/** A change of the successful answers to one REST route. */
const on = (part: string, change: Edit): Change => answers(new RegExp(`${part}$`), change);

/** Numbers above the limit become one that every server refuses. */
const refusedAbove = (limit: number): Edit => {
  return (value) => (Number(value) > limit ? 1e6 : value);
};

/** A time as text, of which only the value changes. */
const laterBy = (secs: number): Edit => {
  return (time) => (typeof time === 'string' ? new Date(Date.parse(time) + secs * 1000).toISOString() : time);
};

export const clockMutations: readonly Mutation[] = [
  ...mutations('@C-serves', { 'connect fails': alwaysFails('connect') }),
  ...mutations('@C-two-sides', { 'REST reads nothing': status(200, 404, '/api/devices/') }),
  ...mutations('@C-path', { 'the upgrade of any path is accepted': { upgrade: () => '/ws' } }),
  ...mutations('@C-concurrent', {
    'responses have the ids of others': responses(edit('id', (id) => Number(id) ^ 1)),
    'a response is lost': { message: (message) => (Number(message['id']) % 50 === 7 ? [] : [message]) },
  }),
  ...mutations('@C-request-id', {
    'the id is a text': responses(edit('id', String)),
  }),
  ...mutations('@C-request-command', {
    'a bad command is answered with the id 0': failures(set({ id: 0 })),
    'any type is taken': failures(set({ result: {}, error: null })),
  }),
  ...mutations('@C-response-id', { 'the id is dropped': responses(drop('id')) }),
  ...mutations('@C-response-result', {
    'the result is dropped on errors': failures(drop('result')),
    'result is called data': responses(rename('result', 'data')),
  }),
  ...mutations('@C-response-error', {
    'the error is dropped on success': successes(drop('error')),
    'the error is an object': failures(edit('error', wrap('message'))),
  }),
  ...mutations('@C-event-name', { 'event is called type': messages(() => true, rename('event', 'type')) }),
  ...mutations('@C-event-data', {
    'data is called payload': messages(() => true, rename('data', 'payload')),
    'the address is there too': event('sensor_update', set({ address: ADDRESS })),
  }),
  ...mutations('@C-address', {
    'the address is in lower case': withField('connect', { address: ADDRESS.toLowerCase() }),
  }),
  ...mutations('@C-reading', {
    'temperature is a text': on('/sensors', edit('temperature', String)),
    'temperatures are unsigned': on(
      '/sensors',
      edit('temperature', (degrees) => (Number(degrees) < 0 ? Number(degrees) + 655.36 : degrees)),
    ),
  }),
  ...mutations('@C-alarm', {
    'repeat_mask is dropped': resultOf('set_alarm', drop('repeat_mask')),
    'the time is an object': withField('set_alarm', { time: { hour: 7, minute: 30 } }),
  }),
  ...mutations('@C-records', {
    'alarms are wrapped': resultOf('read_alarms', wrap('alarms')),
    'snooze is dropped': resultOf('read_alarms', each(drop('snooze'))),
    'settings lack the language': resultOf('read_settings', drop('language')),
    'the firmware is called version': resultOf('read_firmware', rename('firmware', 'version')),
  }),
  ...mutations('@C-not-connected', {
    'reading the firmware needs no connection': alwaysSucceeds('read_firmware'),
    'the message names no device': failures(set({ error: 'not connected' })),
  }),
  ...mutations('@C-transitions', {
    'connecting twice pairs twice': withField('connect', { paired: true }),
    'a loss is not reported': lost('event', 'disconnected'),
  }),
  ...mutations('@C-scan', {
    'a ninth at once is taken': alwaysSucceeds('scan'),
    'the list is wrapped': resultOf('scan', wrap('devices')),
    'the name keeps its NUL': eachClock(edit('name', (name) => `${String(name)}\0`)),
  }),
  ...mutations('@C-connect', {
    'paired is dropped': resultOf('connect', drop('paired')),
  }),
  ...mutations('@C-disconnect', {
    'it answers nothing': resultOf('disconnect', always({})),
    'it needs no connection': alwaysSucceeds('disconnect'),
  }),
  ...mutations('@C-sync-time', {
    'the time is dropped': resultOf('sync_time', drop('time')),
  }),
  ...mutations('@C-read-alarms', {
    'empty slots are listed': resultOf('read_alarms', add(null)),
    'they are in no order': resultOf('read_alarms', reverse),
  }),
  ...mutations('@C-set-alarm', {
    'the alarm is set an hour later': commanded('set_alarm', set({ time: '08:30' })),
    'only the slot comes back': resultOf('set_alarm', (alarm) => ({ slot: (alarm as JsonObject)['slot'] })),
    'any alarm is taken': alwaysSucceeds('set_alarm'),
  }),
  ...mutations('@C-delete-alarm', {
    'deleted is dropped': resultOf('delete_alarm', drop('deleted')),
    'an empty slot is an error': alwaysFails('delete_alarm'),
  }),
  ...mutations('@C-read-settings', {
    'the volume is dropped': resultOf('read_settings', drop('volume')),
  }),
  ...mutations('@C-write-settings', {
    'it answers only that it is written': resultOf('write_settings', always({ written: true })),
    'a setting left out is reset': commanded(
      'write_settings',
      edit('settings', (settings) => ({ screen_light_secs: 1, ...(settings as JsonObject) })),
    ),
  }),
  ...mutations('@C-set-brightness', {
    'the brightness is called value': resultOf('set_brightness', rename('brightness', 'value')),
  }),
  ...mutations('@C-preview-ringtone', {
    'previewing is dropped': resultOf('preview_ringtone', drop('previewing')),
    'the volume is required': alwaysFails('preview_ringtone'),
  }),
  ...mutations('@C-read-battery', {
    'the source is dropped': resultOf('read_battery', drop('source')),
    'the time is 50 s behind': resultOf('read_battery', edit('heard_at', laterBy(-50))),
    'the time is dropped': resultOf('read_battery', drop('heard_at')),
  }),
  ...mutations('@C-subscribe', {
    'subscribed is dropped': resultOf('subscribe_events', drop('subscribed')),
    'unsubscribing does nothing': commanded('unsubscribe_events', set({ type: 'subscribe_events' })),
  }),
  ...mutations('@C-results', {
    'disconnect has a message': withField('disconnect', { message: 'ok' }),
    'connect answers true': resultOf('connect', always(true)),
  }),
  ...mutations('@C-read-only', { 'a write is an unknown route': status(405, 404) }),
  ...mutations('@C-health', { 'health is not served': status(200, 404, '/health') }),
  ...mutations('@C-devices', {
    'the list is wrapped': on('/api/devices', wrap('devices')),
    'addresses alone are listed': on(
      '/api/devices',
      each((device) => (device as JsonObject)['address']),
    ),
  }),
  ...mutations('@C-rest-sensors', {
    'the settings come instead': on('/sensors', always({ volume: 3 })),
    'the battery comes too': on('/sensors', set({ battery: 99 })),
  }),
  ...mutations(
    '@C-rest-sensors',
    { 'the reading never changes': on('/sensors', always({ temperature: 21.5, humidity: 45 })) },
    'The readings follow',
  ),
  ...mutations(
    '@C-sensor-update',
    { 'all updates have one reading': dataOf('sensor_update', always({ temperature: 21.5, humidity: 45 })) },
    'The readings follow',
  ),
  ...mutations('@C-rest-battery', { 'the source is dropped': on('/battery', drop('source')) }),
  ...mutations('@C-rest-firmware', { 'the address is dropped': on('/firmware', drop('address')) }),
  ...mutations('@C-rest-settings', { 'the volume is dropped': on('/settings', drop('volume')) }),
  ...mutations('@C-rest-address', { 'a malformed address is not found': status(400, 404) }),
  ...mutations('@C-rest-bodies', { 'the firmware is a text': on('/firmware', always('1.0.1_0130')) }),
  ...mutations('@C-authenticates', {
    'a refusal is a success': alwaysSucceeds('connect'),
    'the message has no advice': failures(set({ error: 'auth_failed: refused' })),
  }),
  ...mutations('@C-token-store', { 'the settings cannot be read afterwards': alwaysFails('read_settings') }),
  ...mutations('@C-no-login', { 'a login is asked for': status(200, 401, '/health') }),
  ...mutations('@C-pushed', {
    'events come twice': { message: (message) => (isResponse(message) ? [message] : [message, message]) },
    'subscribers receive the events of other clocks': {
      leak: { fits: (message) => !isResponse(message), to: 'subscribe_events' },
    },
    'no event is pushed': { message: (message) => (isResponse(message) ? [message] : []) },
  }),
  ...mutations('@C-sensor-update', {
    'the humidity is dropped': dataOf('sensor_update', drop('humidity')),
    'numbers are 32 bits wide': dataOf(
      'sensor_update',
      edit('temperature', (degrees) => Math.fround(Number(degrees))),
    ),
  }),
  ...mutations('@C-battery-level', {
    'a change over the link is not reported': {
      message: (message) => ((message['data'] as JsonObject | undefined)?.['level'] === 63 ? [] : [message]),
    },
    'the level is called battery': dataOf('battery_level', rename('level', 'battery')),
    'it is not reported on subscribing': lost('event', 'battery_level'),
  }),
  ...mutations('@C-disconnected', {
    'it is lost': lost('event', 'disconnected'),
    'it comes twice': doubled('event', 'disconnected'),
    'it has a reason': dataOf('disconnected', set({ reason: 8 })),
  }),
  ...mutations('@C-reconnected', {
    'it is lost': lost('event', 'reconnected'),
    'it has an address': dataOf('reconnected', set({ address: ADDRESS })),
  }),
  ...mutations('@C-ack', {
    'the command is a number': dataOf('ack', set({ command: 3 })),
    'it is lost': lost('event', 'ack'),
  }),
  ...mutations('@C-advertisement', {
    'it is lost': lost('event', 'advertisement'),
    'the rssi is -1': dataOf('advertisement', set({ rssi: -1 })),
  }),
  ...mutations('@C-payloads', {
    'the name is dropped': dataOf('advertisement', drop('name')),
    'a success is a number': dataOf('ack', set({ status: 0 })),
  }),
  ...mutations('@C-distinguish', { 'responses are events too': responses(set({ event: 'response' })) }),
  ...mutations('@C-ws-errors', {
    'the result is the error': failures((response) => ({
      ...response,
      result: response['error'],
      error: null,
    })),
  }),
  ...mutations('@C-404', { 'it is a client error': status(404, 400) }),
  ...mutations('@C-400', { 'it is not found': status(400, 404) }),
  ...mutations('@C-500', { 'it is not connected': status(500, 404) }),
  ...mutations('@C-other-errors', { 'errors are empty': failures(set({ error: '' })) }),
  ...mutations('@C-limits', {
    'any volume is taken': alwaysSucceeds('preview_ringtone'),
    'any alarm is taken': alwaysSucceeds('set_alarm'),
    'a scan takes 60 seconds at most': commanded('scan', edit('duration_secs', refusedAbove(60))),
    '100 is the most brightness': commanded('set_brightness', edit('value', refusedAbove(100))),
  }),
];
