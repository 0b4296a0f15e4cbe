/** Ways in which a dice server could be wrong, each with the line of the seed that it breaks. */
import type { Asked, Change, Json, JsonObject } from './mutating-proxy.js';
import { isObject } from './mutating-proxy.js';
import { mutations, isArray, renamed, status, without, type Mutation } from './mutation.js';

/** A change of the answers to one route, where they are successes. */
const on = (path: string, change: (json: Json, asked: Asked) => Json): Change => ({
  answer: (answered, asked) =>
    asked.path.startsWith(path) && answered.status === 200
      ? { ...answered, json: change(answered.json, asked) }
      : answered,
});

const withField = (path: string, fields: JsonObject): Change =>
  on(path, (json) => (isObject(json) ? { ...json, ...fields } : json));

const eachDevice = (change: (device: JsonObject) => Json): Change =>
  on('/api/scan', (json) =>
    Array.isArray(json) ? json.map((device) => change(device as JsonObject)) : json,
  );

/** A change of the events of one kind. */
const event = (kind: string, change: (event: JsonObject) => readonly Json[]): Change => ({
  message: (message) => (message['kind'] === kind ? change(message) : [message]),
});

const asked = (path: string, change: (body: JsonObject) => Json): Change => ({
  ask: (request) =>
    request.path.startsWith(path) && isObject(request.body) ? change(request.body) : request.body,
});

/** Holds each event back until the next one has passed. */
const swapped = (): Change => {
  let held: JsonObject | undefined;
  return {
    message: (message) => {
      if (held === undefined) {
        held = message;
        return [];
      }
      const earlier = held;
      held = undefined;
      return [message, earlier];
    },
  };
};

const offByOne = (json: Json): Json => (isObject(json) ? { ...json, face: Number(json['face']) + 1 } : json);

const acceleration = (change: (acceleration: JsonObject) => Json): Change =>
  event('Stable', (message) => [{ ...message, acceleration: change(message['acceleration'] as JsonObject) }]);

/** Every connect makes a session with the same id. */
const sameId: Change = withField('/api/connect', { session_id: 's1' });

/** Disconnect answers as it should, and leaves the die connected. */
const keptSession: Change = {
  instead: ({ path, body }) =>
    path === '/api/disconnect' && isObject(body)
      ? { status: 200, json: { session_id: body['session_id'], disconnected: true } }
      : undefined,
};

/** Dice that were connected stay in the list. */
const scannedThoughConnected = (): Change => {
  const connected: Json[] = [];
  return {
    answer: (answered, { path, body }) => {
      if (path === '/api/connect' && isObject(body)) {
        connected.push({ address: body['address'], name: 'GoDice_000001_R_v04', rssi: -60 });
      }
      return path === '/api/scan' && isArray(answered.json)
        ? { ...answered, json: [...answered.json, ...connected] }
        : answered;
    },
  };
};

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
    'the address is dropped': eachDevice((device) => without(device, 'address')),
    'the address is in lower case': eachDevice((device) => ({
      ...device,
      address: String(device['address']).toLowerCase(),
    })),
    'the address has dashes': eachDevice((device) => ({
      ...device,
      address: String(device['address']).replaceAll(':', '-'),
    })),
  }),
  ...mutations('@D-device-name', {
    'the name is dropped': eachDevice((device) => without(device, 'name')),
    'the name is the address': eachDevice((device) => ({ ...device, name: device['address'] })),
  }),
  ...mutations('@D-device-rssi', {
    'the rssi is dropped': eachDevice((device) => without(device, 'rssi')),
    'the rssi is positive': eachDevice((device) => ({ ...device, rssi: -Number(device['rssi']) })),
    'the rssi is a text': eachDevice((device) => ({ ...device, rssi: String(device['rssi']) })),
    'the weakest comes first': on('/api/scan', (json) => (isArray(json) ? [...json].reverse() : json)),
  }),
  ...mutations('@D-session-id', {
    'all sessions have one id': sameId,
    'the session id is a number': withField('/api/connect', { session_id: 1 }),
  }),
  ...mutations('@D-dice-type', {
    'an unknown type is taken': status(400, 200, '/api/connect'),
    'the type is ignored': asked('/api/connect', (body) => without(body, 'dice_type')),
  }),
  ...mutations('@D-event-kind', {
    'kind is called type': { message: (message) => [renamed(message, 'kind', 'type')] },
    'kinds are in lower case': {
      message: (message) => [{ ...message, kind: String(message['kind']).toLowerCase() }],
    },
  }),
  ...mutations('@D-event-face', {
    'the face is off by one': event('Stable', (message) => [offByOne(message)]),
    'the face is dropped': event('Stable', (message) => [without(message, 'face')]),
    'the face is a text': event('Stable', (message) => [{ ...message, face: String(message['face']) }]),
  }),
  ...mutations(
    '@D-event-face',
    { 'a face of 0 is lost': event('Stable', (message) => (message['face'] === 0 ? [] : [message])) },
    'Every face of a d10',
  ),
  ...mutations('@D-event-acceleration', {
    'the acceleration is dropped': event('Stable', (message) => [without(message, 'acceleration')]),
    'z is dropped': acceleration((xyz) => without(xyz, 'z')),
    'the acceleration is in g': acceleration((xyz) => ({ ...xyz, x: Number(xyz['x']) / 64 })),
    'the acceleration is unsigned': acceleration((xyz) => ({ ...xyz, x: Number(xyz['x']) & 0xff })),
  }),
  ...mutations('@D-session-life', {
    'a session is kept after disconnect': keptSession,
    'an ended session is a client error': status(404, 400),
  }),
  ...mutations('@D-states', {
    'status says not connected': withField('/api/status', { connected: false }),
    'the resting face is unknown': withField('/api/status', { face: null }),
    'a connected die is scanned all the same': scannedThoughConnected(),
    'a lost die has no status': {
      answer: (answered, { path }) =>
        path.startsWith('/api/status') && isObject(answered.json) && answered.json['connected'] === false
          ? { ...answered, status: 404 }
          : answered,
    },
    'a lost die is said to be connected': withField('/api/status', { connected: true }),
  }),
  ...mutations('@D-scan', {
    'the list is wrapped': on('/api/scan', (devices) => ({ devices })),
    'a device has another field': eachDevice((device) => ({ ...device, id: 1 })),
    'a device is listed twice': on('/api/scan', (json) => (isArray(json) ? [...json, ...json] : json)),
    'a scan is created': status(200, 201, '/api/scan'),
    'the list is empty': on('/api/scan', () => []),
  }),
  ...mutations('@D-connect', {
    'session_id is called id': on('/api/connect', (json) => renamed(json, 'session_id', 'id')),
    'the address comes back too': withField('/api/connect', { address: 'D1:CE:00:00:00:01' }),
    'a connect is created': status(200, 201, '/api/connect'),
    'a die that is not there is a server error': status(404, 500, '/api/connect'),
  }),
  ...mutations('@D-disconnect', {
    'disconnect answers nothing': on('/api/disconnect', () => ({})),
    'disconnect says false': withField('/api/disconnect', { disconnected: false }),
    'the die stays connected': keptSession,
  }),
  ...mutations('@D-led', {
    'the LEDs are exchanged': asked('/api/led', (body) => ({
      ...body,
      led1: body['led2'],
      led2: body['led1'],
    })),
    'led2 is dropped': on('/api/led', (json) => without(json, 'led2')),
  }),
  ...mutations('@D-battery', {
    'the level is called battery': on('/api/battery', (json) => renamed(json, 'battery_level', 'battery')),
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
    'the colour is dropped': on('/api/status', (json) => without(json, 'color')),
    'the face is off by one': on('/api/status', offByOne),
    'it never rolls': withField('/api/status', { rolling: false }),
    'the colour is always red': withField('/api/status', { color: 'red' }),
  }),
  ...mutations('@D-calibrate', {
    'the offset is dropped': on('/api/calibrate', (json) => without(json, 'offset')),
    'the offset is zero': withField('/api/calibrate', { offset: { x: 0, y: 0, z: 0 } }),
    'the face is off by one': on('/api/calibrate', offByOne),
  }),
  ...mutations('@D-ws', {
    'the details are dropped': { message: ({ seq: _, ...message }) => [message] },
    'the filter is ignored': { upgrade: (path) => path.replace(/&session_id=[^&]*/, '') },
    'an event is lost': event('Stable', () => []),
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
    'led has no session': on('/api/led', (json) => without(json, 'session_id')),
    'battery has another field': withField('/api/battery', { unit: '%' }),
    'status lacks charging': on('/api/status', (json) => without(json, 'charging')),
    'calibrate has a message': withField('/api/calibrate', { message: 'Calibration complete' }),
  }),
  ...mutations('@D-led-format', {
    'colours answer in lower case': on('/api/led', (json) =>
      isObject(json) ? { ...json, led1: String(json['led1']).toLowerCase() } : json,
    ),
    'bad colours are taken': status(400, 200, '/api/led'),
    'the LED left out goes dark': asked('/api/led', (body) => ({ led1: '000000', led2: '000000', ...body })),
  }),
  ...mutations('@D-no-login', { 'a login is asked for': status(200, 401, '/health') }),
  ...mutations('@D-plain-http', { 'plain HTTP is sent elsewhere': status(200, 421, '/health') }),
  ...mutations('@D-ws-messages', {
    'messages are arrays': { message: (message) => [[message]] },
    'messages are no JSON': { send: (text) => `event ${text}` },
    'the kind is dropped': { message: (message) => [without(message, 'kind')] },
  }),
  ...mutations('@D-event-stable', {
    'Stable has another field': event('Stable', (message) => [{ ...message, value: message['face'] }]),
    'Stable is lost': event('Stable', () => []),
    'Stable comes twice': event('Stable', (message) => [message, message]),
    'Stable is called Rest': event('Stable', (message) => [{ ...message, kind: 'Rest' }]),
  }),
  ...mutations('@D-event-roll-start', {
    'RollStart has another field': event('RollStart', (message) => [{ ...message, face: null }]),
    'RollStart is lost': event('RollStart', () => []),
    'RollStart is called Roll': event('RollStart', (message) => [{ ...message, kind: 'Roll' }]),
  }),
  ...mutations('@D-event-disconnected', {
    'Disconnected has another field': event('Disconnected', (message) => [{ ...message, reason: 8 }]),
    'Disconnected is lost': event('Disconnected', () => []),
    'Disconnected comes twice': event('Disconnected', (message) => [message, message]),
  }),
  ...mutations('@D-other-events', {
    'taps are lost': event('Tap', () => []),
    'tilted rests are stable ones': event('TiltStable', (message) => [{ ...message, kind: 'Stable' }]),
    'the level is called battery': event('BatteryLevel', (message) => [renamed(message, 'level', 'battery')]),
  }),
  ...mutations('@D-errors', {
    'errors have no code': {
      answer: (answered) =>
        answered.status >= 400 ? { ...answered, json: without(answered.json, 'code') } : answered,
    },
    'the message names no field': {
      answer: (answered) =>
        answered.status >= 400 && isObject(answered.json)
          ? { ...answered, json: { ...answered.json, error: 'bad request' } }
          : answered,
    },
    'an unknown session is a client error': status(404, 400, '/api/battery'),
    'a wrong method is unknown': status(405, 404),
    'errors are HTML': {
      answer: (answered) => (answered.status >= 400 ? { ...answered, contentType: 'text/html' } : answered),
    },
  }),
  ...mutations('@D-limits', { 'a body of any size is taken': status(413, 400) }),
  ...mutations('@D-limits', { 'a scan of any length is taken': status(400, 200, '/api/scan') }, 'A scan of'),
  ...mutations('@D-limits', { 'too many requests are a server error': status(429, 500) }, 'More requests'),
];
