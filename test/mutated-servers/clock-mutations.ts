/** Ways in which a clock server could be wrong, each with the line of the seed that it breaks. */
import { isObject, type Change, type Json, type JsonObject } from './mutating-proxy.js';
import { mutations, isArray, renamed, status, without, type Mutation } from './mutation.js';

const isResponse = (message: JsonObject): boolean => !('event' in message);

/** A change of all responses. */
const responses = (change: (response: JsonObject) => Json): Change => ({
  message: (message) => [isResponse(message) ? change(message) : message],
});

/** A change of the result of one command, where it is a success. */
const resultOf = (type: string, change: (result: Json) => Json): Change => ({
  message: (message, command) => [
    command?.['type'] === type && message['error'] === null
      ? { ...message, result: change(message['result']) }
      : message,
  ],
});

const withField = (type: string, fields: JsonObject): Change =>
  resultOf(type, (result) => (isObject(result) ? { ...result, ...fields } : result));

/** A change of the events of one name. */
const event = (name: string, change: (event: JsonObject) => readonly Json[]): Change => ({
  message: (message) => (message['event'] === name ? change(message) : [message]),
});

const dataOf = (name: string, change: (data: JsonObject) => Json): Change =>
  event(name, (message) => [{ ...message, data: change(message['data'] as JsonObject) }]);

/** A change of one command before the server sees it. */
const commanded = (type: string, change: (command: JsonObject) => JsonObject): Change => ({
  say: (message) => {
    const { command } = message;
    return isObject(command) && command['type'] === type ? { ...message, command: change(command) } : message;
  },
});

/** A command is answered as a success, whatever the server says. */
const alwaysRight = (type: string): Change => ({
  message: (message, command) =>
    command?.['type'] === type && message['error'] !== null
      ? [{ ...message, result: { address: command['address'] }, error: null }]
      : [message],
});

/** A command fails. */
const alwaysWrong = (type: string): Change => ({
  message: (message, command) =>
    command?.['type'] === type ? [{ ...message, result: null, error: 'it does not work' }] : [message],
});

/** A change of the answers to one REST route, where they are successes. */
const on = (part: string, change: (json: Json) => Json): Change => ({
  answer: (answered, { path }) =>
    path.endsWith(part) && answered.status === 200 ? { ...answered, json: change(answered.json) } : answered,
});

const eachAlarm = (type: string, change: (alarm: JsonObject) => Json): Change =>
  resultOf(type, (result) => (isArray(result) ? result.map((alarm) => change(alarm as JsonObject)) : result));

const eachClock = (change: (clock: JsonObject) => Json): Change =>
  resultOf('scan', (result) =>
    isArray(result) ? result.map((clock) => change(clock as JsonObject)) : result,
  );

export const clockMutations: readonly Mutation[] = [
  ...mutations('@C-serves', { 'connect fails': alwaysWrong('connect') }),
  ...mutations('@C-two-sides', { 'REST reads nothing': status(200, 404, '/api/devices/') }),
  ...mutations('@C-path', { 'the upgrade of any path is accepted': { upgrade: () => '/ws' } }),
  ...mutations('@C-concurrent', {
    'responses have the ids of others': responses((response) => ({
      ...response,
      id: Number(response['id']) ^ 1,
    })),
    'a response is lost': { message: (message) => (Number(message['id']) % 50 === 7 ? [] : [message]) },
  }),
  ...mutations('@C-request-id', {
    'the id is a text': responses((response) => ({ ...response, id: String(response['id']) })),
    'the id is not echoed': responses((response) => ({ ...response, id: 0 })),
  }),
  ...mutations('@C-request-command', {
    'a bad command is answered with the id 0': {
      message: (message) => (message['error'] === null ? [message] : [{ ...message, id: 0 }]),
    },
    'any type is taken': {
      message: (message) =>
        message['error'] === null ? [message] : [{ ...message, result: {}, error: null }],
    },
  }),
  ...mutations('@C-response-id', { 'the id is dropped': responses((response) => without(response, 'id')) }),
  ...mutations('@C-response-result', {
    'the result is dropped on errors': responses((response) =>
      response['error'] === null ? response : without(response, 'result'),
    ),
    'result is called data': responses((response) => renamed(response, 'result', 'data')),
  }),
  ...mutations('@C-response-error', {
    'the error is dropped on success': responses((response) =>
      response['error'] === null ? without(response, 'error') : response,
    ),
    'the error is an object': responses((response) =>
      response['error'] === null ? response : { ...response, error: { message: response['error'] } },
    ),
  }),
  ...mutations('@C-event-name', {
    'event is called type': { message: (message) => [renamed(message, 'event', 'type')] },
  }),
  ...mutations('@C-event-data', {
    'data is called payload': { message: (message) => [renamed(message, 'data', 'payload')] },
    'the address is there too': event('sensor_update', (message) => [
      { ...message, address: '58:2D:34:00:00:01' },
    ]),
  }),
  ...mutations('@C-address', {
    'the address is in lower case': withField('connect', { address: '58:2d:34:00:00:01' }),
    'a malformed address is not refused': alwaysRight('connect'),
  }),
  ...mutations('@C-duration', { 'a scan of any length is taken': alwaysRight('scan') }),
  ...mutations('@C-slot', {
    'any slot is taken': alwaysRight('delete_alarm'),
    'slots count from 1': withField('set_alarm', { slot: 1 }),
  }),
  ...mutations('@C-brightness', { 'any brightness is taken': alwaysRight('set_brightness') }),
  ...mutations('@C-reading', {
    'temperature is a text': on('/sensors', (json) =>
      isObject(json) ? { ...json, temperature: String(json['temperature']) } : json,
    ),
    'temperatures are unsigned': on('/sensors', (json) =>
      isObject(json) && Number(json['temperature']) < 0
        ? { ...json, temperature: Number(json['temperature']) + 655.36 }
        : json,
    ),
  }),
  ...mutations('@C-alarm', {
    'repeat_mask is dropped': resultOf('set_alarm', (alarm) => without(alarm, 'repeat_mask')),
    'the time is an object': withField('set_alarm', { time: { hour: 7, minute: 30 } }),
  }),
  ...mutations('@C-records', {
    'alarms are wrapped': resultOf('read_alarms', (alarms) => ({ alarms })),
    'snooze is dropped': eachAlarm('read_alarms', (alarm) => without(alarm, 'snooze')),
    'settings lack the language': resultOf('read_settings', (settings) => without(settings, 'language')),
    'the firmware is called version': resultOf('read_firmware', (result) =>
      renamed(result, 'firmware', 'version'),
    ),
  }),
  ...mutations('@C-not-connected', {
    'reading the firmware needs no connection': alwaysRight('read_firmware'),
    'the message names no device': {
      message: (message) =>
        message['error'] === null ? [message] : [{ ...message, error: 'not connected' }],
    },
  }),
  ...mutations('@C-transitions', {
    'connecting twice pairs twice': withField('connect', { paired: true }),
    'a loss is not reported': event('disconnected', () => []),
  }),
  ...mutations('@C-scan', {
    'a ninth at once is taken': alwaysRight('scan'),
    'the list is wrapped': resultOf('scan', (devices) => ({ devices })),
    'the name keeps its NUL': eachClock((clock) => ({ ...clock, name: `${String(clock['name'])}\0` })),
    'the temperature is ten times as high': eachClock((clock) => {
      const { advertisement } = clock;
      return isObject(advertisement)
        ? {
            ...clock,
            advertisement: { ...advertisement, temperature: Number(advertisement['temperature']) * 10 },
          }
        : clock;
    }),
    'the rssi is null': eachClock((clock) => ({ ...clock, rssi: null })),
  }),
  ...mutations('@C-connect', {
    'paired is dropped': resultOf('connect', (result) => without(result, 'paired')),
    'it is never paired': withField('connect', { paired: false }),
  }),
  ...mutations('@C-disconnect', {
    'it answers nothing': resultOf('disconnect', () => ({})),
    'it needs no connection': alwaysRight('disconnect'),
  }),
  ...mutations('@C-sync-time', {
    'the time is dropped': resultOf('sync_time', (result) => without(result, 'time')),
    'the time is local': withField('sync_time', { time: '2001-01-01T02:00:00Z' }),
  }),
  ...mutations('@C-read-alarms', {
    'empty slots are listed': resultOf('read_alarms', (alarms) =>
      isArray(alarms) ? [...alarms, null] : alarms,
    ),
    'they are in no order': resultOf('read_alarms', (alarms) =>
      isArray(alarms) ? [...alarms].reverse() : alarms,
    ),
  }),
  ...mutations('@C-set-alarm', {
    'the alarm is set an hour later': commanded('set_alarm', (command) => ({ ...command, time: '08:30' })),
    'only the slot comes back': resultOf('set_alarm', (alarm) =>
      isObject(alarm) ? { slot: alarm['slot'] } : alarm,
    ),
    'any alarm is taken': alwaysRight('set_alarm'),
  }),
  ...mutations('@C-delete-alarm', {
    'deleted is dropped': resultOf('delete_alarm', (result) => without(result, 'deleted')),
    'an empty slot is an error': alwaysWrong('delete_alarm'),
  }),
  ...mutations('@C-read-settings', {
    'the volume is dropped': resultOf('read_settings', (settings) => without(settings, 'volume')),
    'the brightness is not times ten': withField('read_settings', { brightness: 5 }),
  }),
  ...mutations('@C-write-settings', {
    'it answers only that it is written': resultOf('write_settings', () => ({ written: true })),
    'what is left out is reset': commanded('write_settings', (command) => ({
      ...command,
      settings: { screen_light_secs: 1, ...(command['settings'] as JsonObject) },
    })),
  }),
  ...mutations('@C-set-brightness', {
    'the brightness is called value': resultOf('set_brightness', (result) =>
      renamed(result, 'brightness', 'value'),
    ),
    'another brightness is set': commanded('set_brightness', (command) => ({ ...command, value: 10 })),
  }),
  ...mutations('@C-preview-ringtone', {
    'previewing is dropped': resultOf('preview_ringtone', (result) => without(result, 'previewing')),
    'the volume is required': alwaysWrong('preview_ringtone'),
  }),
  ...mutations('@C-read-firmware', {
    'a byte is lost': withField('read_firmware', { firmware: '.0.1_0130' }),
  }),
  ...mutations('@C-read-battery', {
    'the source is dropped': resultOf('read_battery', (result) => without(result, 'source')),
    'it is always 99': withField('read_battery', { battery: 99 }),
    'nobody knows when it was heard': withField('read_battery', { heard_at: null }),
    'the time is dropped': resultOf('read_battery', (result) => without(result, 'heard_at')),
  }),
  ...mutations('@C-subscribe', {
    'subscribed is dropped': resultOf('subscribe_events', (result) => without(result, 'subscribed')),
    'unsubscribing does nothing': commanded('unsubscribe_events', (command) => ({
      ...command,
      type: 'subscribe_events',
    })),
  }),
  ...mutations('@C-results', {
    'disconnect has a message': withField('disconnect', { message: 'ok' }),
    'connect answers that it is so': resultOf('connect', () => true),
  }),
  ...mutations('@C-read-only', { 'a write is no wrong method': status(405, 404) }),
  ...mutations('@C-health', { 'health is not served': status(200, 404, '/health') }),
  ...mutations('@C-devices', {
    'the list is wrapped': on('/api/devices', (devices) => ({ devices })),
    'addresses alone are listed': on('/api/devices', (json) =>
      isArray(json) ? json.map((device) => (device as JsonObject)['address']) : json,
    ),
  }),
  ...mutations('@C-rest-sensors', {
    'the settings come instead': on('/sensors', () => ({ volume: 3 })),
    'the battery comes too': on('/sensors', (json) => (isObject(json) ? { ...json, battery: 99 } : json)),
  }),
  ...mutations(
    '@C-rest-sensors',
    { 'the reading never changes': on('/sensors', () => ({ temperature: 21.5, humidity: 45 })) },
    'The readings follow',
  ),
  ...mutations(
    '@C-sensor-update',
    {
      'all updates have one reading': dataOf('sensor_update', () => ({ temperature: 21.5, humidity: 45 })),
    },
    'The readings follow',
  ),
  ...mutations('@C-rest-battery', {
    'the source is dropped': on('/battery', (json) => without(json, 'source')),
  }),
  ...mutations('@C-rest-firmware', {
    'the address is dropped': on('/firmware', (json) => without(json, 'address')),
  }),
  ...mutations('@C-rest-alarms', { 'there are none': on('/alarms', () => []) }),
  ...mutations('@C-rest-settings', {
    'the volume is dropped': on('/settings', (json) => without(json, 'volume')),
  }),
  ...mutations('@C-rest-address', { 'a malformed address is not found': status(400, 404) }),
  ...mutations('@C-rest-bodies', { 'the firmware is a text': on('/firmware', () => '1.0.1_0130') }),
  ...mutations('@C-authenticates', {
    'a refusal is a success': alwaysRight('connect'),
    'the message has no advice': {
      message: (message) =>
        message['error'] === null ? [message] : [{ ...message, error: 'auth_failed: refused' }],
    },
  }),
  ...mutations('@C-token-store', { 'the settings cannot be read afterwards': alwaysWrong('read_settings') }),
  ...mutations('@C-no-login', { 'a login is asked for': status(200, 401, '/health') }),
  ...mutations('@C-pushed', {
    'events come twice': { message: (message) => (isResponse(message) ? [message] : [message, message]) },
    'no event is pushed': { message: (message) => (isResponse(message) ? [message] : []) },
  }),
  ...mutations('@C-sensor-update', {
    'the humidity is dropped': dataOf('sensor_update', (data) => without(data, 'humidity')),
    'numbers are 32 bits wide': dataOf('sensor_update', (data) => ({
      ...data,
      temperature: Math.fround(Number(data['temperature'])),
    })),
  }),
  ...mutations('@C-battery-level', {
    'a change over the link is not reported': event('battery_level', (message) =>
      (message['data'] as JsonObject)['level'] === 63 ? [] : [message],
    ),
    'the level is called battery': dataOf('battery_level', (data) => renamed(data, 'level', 'battery')),
    'it is not reported on subscribing': event('battery_level', () => []),
  }),
  ...mutations('@C-disconnected', {
    'it is lost': event('disconnected', () => []),
    'it comes twice': event('disconnected', (message) => [message, message]),
    'it has a reason': dataOf('disconnected', (data) => ({ ...data, reason: 8 })),
  }),
  ...mutations('@C-reconnected', {
    'it is lost': event('reconnected', () => []),
    'it has an address': dataOf('reconnected', (data) => ({ ...data, address: '58:2D:34:00:00:01' })),
  }),
  ...mutations('@C-ack', {
    'the command is a number': dataOf('ack', (data) => ({ ...data, command: 3 })),
    'it is lost': event('ack', () => []),
  }),
  ...mutations('@C-advertisement', { 'it is lost': event('advertisement', () => []) }),
  ...mutations('@C-payloads', {
    'the name is dropped': dataOf('advertisement', (data) => without(data, 'name')),
    'a success is a number': dataOf('ack', (data) => ({ ...data, status: 0 })),
  }),
  ...mutations('@C-distinguish', {
    'responses are events too': responses((response) => ({ ...response, event: 'response' })),
  }),
  ...mutations('@C-ws-errors', {
    'the result is the error': responses((response) =>
      response['error'] === null ? response : { ...response, result: response['error'], error: null },
    ),
  }),
  ...mutations('@C-404', { 'it is a client error': status(404, 400) }),
  ...mutations('@C-400', { 'it is not found': status(400, 404) }),
  ...mutations('@C-500', { 'it is not connected': status(500, 404) }),
  ...mutations('@C-other-errors', {
    'errors are empty': responses((response) =>
      response['error'] === null ? response : { ...response, error: '' },
    ),
  }),
  ...mutations('@C-limits', {
    'any volume is taken': alwaysRight('preview_ringtone'),
    'any alarm is taken': alwaysRight('set_alarm'),
  }),
];
