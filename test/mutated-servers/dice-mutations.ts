/** Defects of a dice server, each with the tag of the broken line of the contract. */
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
  lowerCase,
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

/** A change of the successful answers to one route. */
const on = (path: string, change: Edit): Change => answers(new RegExp(`^${path}`), change);
const withField = (path: string, fields: JsonObject): Change => on(path, set(fields));
const eachDevice = (change: Edit): Change => on('/api/scan', each(change));

/** A change of the events of one kind. */
const event = (kind: string, change: Edit): Change => messages((message) => message['kind'] === kind, change);
const events = (change: Edit): Change => messages(() => true, change);
const acceleration = (change: Edit): Change => event('Stable', edit('acceleration', change));

const errors = (change: Edit): Change => ({
  answer: (answered) => (answered.status >= 400 ? { ...answered, json: change(answered.json) } : answered),
});

/** A change of the bodies of requests to one route. */
const asked = (path: string, change: (body: JsonObject) => Json): Change => ({
  ask: (request) =>
    request.path.startsWith(path) && isObject(request.body) ? change(request.body) : request.body,
});

/** Holds each event back until the next one has passed. */
const swapped = (): Change => {
  let held: JsonObject | undefined;
  return {
    message: (message) => {
      const earlier = held;
      held = earlier === undefined ? message : undefined;
      return earlier === undefined ? [] : [message, earlier];
    },
  };
};

/** Disconnecting answers correctly, but leaves the die connected. */
const keptSession: Change = {
  instead: ({ path, body }) =>
    path === '/api/disconnect' && isObject(body)
      ? { status: 200, json: { session_id: body['session_id'], disconnected: true } }
      : undefined,
};

/** Connected dice stay in the list of a scan. */
const scannedThoughConnected = (): Change => {
  const connected: Json[] = [];
  return {
    answer: (answered, { path, body }) => {
      if (path === '/api/connect' && isObject(body))
        connected.push({ address: body['address'], name: 'GoDice_000001_R_v04', rssi: -60 });
      return path === '/api/scan' ? { ...answered, json: add(...connected)(answered.json) } : answered;
    },
  };
};

/** Texts of one type lack their last line. */
const shorter = (type: string): Change => ({
  answer: (answered) =>
    answered.contentType?.startsWith(type) === true
      ? { ...answered, text: (answered.text ?? '').replace(/[^\n]*\n$/, '') }
      : answered,
});

export const diceMutations: readonly Mutation[] = [
  ...mutations('@D-scans-and-controls', {
    'calibration fails': status(200, 500, '/api/calibrate'),
    'the LEDs cannot be set': status(200, 404, '/api/led'),
  }),
  ...mutations('@D-publishes', {
    'no event is published': { message: () => [] },
    'events are doubled': { message: (message) => [message, message] },
    'events change places': swapped(),
  }),
  ...mutations('@D-paths', {
    'a route without /api is served': status(404, 200, '/connect'),
    'the upgrade of any path is accepted': { upgrade: () => '/ws' },
    '/ws without an upgrade is unknown': status(426, 404, '/ws'),
  }),
  ...mutations('@D-json', {
    'answers say they are HTML': { answer: (answered) => ({ ...answered, contentType: 'text/html' }) },
    'a body of any type is taken': status(415, 200),
  }),
  ...mutations('@D-device-address', {
    'the address is dropped': eachDevice(drop('address')),
    'the address is in lower case': eachDevice(edit('address', lowerCase)),
    'the address has dashes': eachDevice(edit('address', (text) => String(text).replaceAll(':', '-'))),
  }),
  ...mutations('@D-device-name', {
    'the name is dropped': eachDevice(drop('name')),
    'the name is the address': eachDevice((device) =>
      set({ name: (device as JsonObject)['address'] })(device),
    ),
  }),
  ...mutations('@D-device-rssi', {
    'the rssi is dropped': eachDevice(drop('rssi')),
    'the rssi is a text': eachDevice(edit('rssi', String)),
    'the weakest comes first': on('/api/scan', reverse),
  }),
  ...mutations('@D-session-id', {
    'all sessions have one id': withField('/api/connect', { session_id: 's1' }),
    'the session id is a number': withField('/api/connect', { session_id: 1 }),
  }),
  ...mutations('@D-event-kind', {
    'kind is called type': events(rename('kind', 'type')),
    'kinds are in lower case': events(edit('kind', lowerCase)),
  }),
  ...mutations('@D-event-face', {
    'the face is dropped': event('Stable', drop('face')),
    'the face is a text': event('Stable', edit('face', String)),
  }),
  ...mutations('@D-event-face', { 'a face of 0 is lost': lost('face', 0) }, 'Every face of a d10'),
  ...mutations('@D-event-acceleration', {
    'the acceleration is dropped': event('Stable', drop('acceleration')),
    'z is dropped': acceleration(drop('z')),
    'the acceleration is in g': acceleration(edit('x', (x) => Number(x) / 64)),
    'the acceleration is unsigned': acceleration(edit('x', (x) => Number(x) & 0xff)),
  }),
  ...mutations('@D-session-life', {
    'a session is kept after disconnect': keptSession,
    'an ended session is a client error': status(404, 400),
  }),
  ...mutations('@D-states', {
    'a scan lists a connected die': scannedThoughConnected(),
    'a lost die has no status': {
      answer: (answered, { path }) =>
        path.startsWith('/api/status') && isObject(answered.json) && answered.json['connected'] === false
          ? { ...answered, status: 404 }
          : answered,
    },
    'a lost die is reported as connected': withField('/api/status', { connected: true }),
  }),
  ...mutations('@D-scan', {
    'the list is wrapped': on('/api/scan', wrap('devices')),
    'a device has another field': eachDevice(set({ id: 1 })),
    'a device is listed twice': on('/api/scan', (devices) => [devices, devices].flat()),
    'a scan is created': status(200, 201, '/api/scan'),
    'the list is empty': on('/api/scan', always([])),
  }),
  ...mutations('@D-connect', {
    'session_id is called id': on('/api/connect', rename('session_id', 'id')),
    'the address comes back too': withField('/api/connect', { address: 'D1:CE:00:00:00:01' }),
    'a connect is created': status(200, 201, '/api/connect'),
    'an absent die is a server error': status(404, 500, '/api/connect'),
  }),
  ...mutations('@D-disconnect', {
    'disconnect answers nothing': on('/api/disconnect', always({})),
    'the die stays connected': keptSession,
  }),
  ...mutations('@D-led', {
    'the LEDs are exchanged': asked('/api/led', ({ led1, led2, ...body }) => ({
      ...body,
      led1: led2,
      led2: led1,
    })),
    'led2 is dropped': on('/api/led', drop('led2')),
  }),
  ...mutations('@D-battery', {
    'the level is called battery': on('/api/battery', rename('battery_level', 'battery')),
    'the level is a text': withField('/api/battery', { battery_level: '80' }),
    'the level is above 100': withField('/api/battery', { battery_level: 101 }),
    'the battery is not served': status(200, 404, '/api/battery'),
  }),
  ...mutations(
    '@D-battery',
    { 'the level never changes': withField('/api/battery', { battery_level: 57 }) },
    'The battery level rises',
  ),
  ...mutations(
    '@D-status',
    {
      'the level never changes': withField('/api/status', { battery_level: 57 }),
      'it never charges': withField('/api/status', { charging: false }),
    },
    'The battery level rises',
  ),
  ...mutations('@D-status', {
    'the colour is dropped': on('/api/status', drop('color')),
    'it never rolls': withField('/api/status', { rolling: false }),
    'the colour is always red': withField('/api/status', { color: 'red' }),
  }),
  ...mutations('@D-calibrate', {
    'the offset is dropped': on('/api/calibrate', drop('offset')),
    'the offset is zero': withField('/api/calibrate', { offset: { x: 0, y: 0, z: 0 } }),
  }),
  ...mutations('@D-ws', {
    'the details are dropped': events(drop('seq')),
    'an event is lost': lost('kind', 'Stable'),
  }),
  ...mutations('@D-dice-type-optional', {
    'the type is required': {
      instead: ({ path, body }) =>
        path === '/api/connect' && isObject(body) && !('dice_type' in body)
          ? { status: 400, json: { error: 'dice_type is missing', code: 'invalid_input' } }
          : undefined,
    },
    'the default is another': asked('/api/connect', (body) => ({ dice_type: 'd8', ...body })),
  }),
  ...mutations('@D-bodies', {
    'disconnect has a message': withField('/api/disconnect', { message: 'Disconnected' }),
    'led has no session': on('/api/led', drop('session_id')),
    'battery has another field': withField('/api/battery', { unit: '%' }),
    'status lacks charging': on('/api/status', drop('charging')),
    'calibrate has a message': withField('/api/calibrate', { message: 'Calibration complete' }),
  }),
  ...mutations('@D-led-format', {
    'colours answer in lower case': on('/api/led', edit('led1', lowerCase)),
    'the LED left out goes dark': asked('/api/led', (body) => ({ led1: '000000', led2: '000000', ...body })),
  }),
  ...mutations('@D-no-login', { 'a login is asked for': status(200, 401, '/health') }),
  ...mutations('@D-plain-http', { 'plain HTTP is sent elsewhere': status(200, 421, '/health') }),
  ...mutations('@D-ws-messages', {
    'messages are arrays': events((message) => [message]),
    'messages are not JSON': { send: (text) => `event ${text}` },
    'the kind is dropped': events(drop('kind')),
  }),
  ...mutations('@D-event-stable', {
    'Stable has another field': event('Stable', set({ value: 5 })),
    'Stable is lost': lost('kind', 'Stable'),
    'Stable comes twice': doubled('kind', 'Stable'),
    'Stable is called Rest': event('Stable', set({ kind: 'Rest' })),
  }),
  ...mutations('@D-event-roll-start', {
    'RollStart has another field': event('RollStart', set({ face: null })),
    'RollStart is lost': lost('kind', 'RollStart'),
    'RollStart is called Roll': event('RollStart', set({ kind: 'Roll' })),
  }),
  ...mutations('@D-event-disconnected', {
    'Disconnected has another field': event('Disconnected', set({ reason: 8 })),
    'Disconnected is lost': lost('kind', 'Disconnected'),
    'Disconnected comes twice': doubled('kind', 'Disconnected'),
  }),
  ...mutations('@D-other-events', {
    'taps are lost': lost('kind', 'Tap'),
    'tilted rests are stable ones': event('TiltStable', set({ kind: 'Stable' })),
    'the level is called battery': event('BatteryLevel', rename('level', 'battery')),
  }),
  ...mutations('@D-errors', {
    'errors have no code': errors(drop('code')),
    'the message names no field': errors(set({ error: 'bad request' })),
    'an unknown session is a client error': status(404, 400, '/api/battery'),
    'a wrong method is unknown': status(405, 404),
    'errors are HTML': {
      answer: (answered) => (answered.status >= 400 ? { ...answered, contentType: 'text/html' } : answered),
    },
  }),
  ...mutations('@D-beyond-rolls', {
    'the last roll is missing in NDJSON': shorter('application/x-ndjson'),
    'the last roll is missing in CSV': shorter('text/csv'),
  }),
  ...mutations('@D-limits', { 'a body of any size is taken': status(413, 400) }),
  ...mutations('@D-limits', { 'too many requests are a server error': status(429, 500) }, 'More requests'),
];
