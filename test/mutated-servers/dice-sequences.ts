/** Defects of a dice server that show only in a sequence of requests and events. */
import type { DiceType } from '../../src/dice/contract.js';
import { faceOf, type Acceleration } from '../../src/protocols/godice/index.js';
import { RESTS } from '../../src/protocols/dice-values.js';
import { isObject, type Change, type Json, type JsonObject, type Request } from './mutating-proxy.js';
import { doubled, each, edit, lost, mutations, set, type Edit, type Mutation } from './mutation.js';

const isAsked = ({ method, path }: Request, asked: string): boolean => `${method} ${path}`.startsWith(asked);

/** A change of the successful answers to the requests that begin so, such as `GET /api/rolls`. */
const to = (request: string, change: (json: Json, asked: Request) => Json): Change => ({
  answer: (answered, asked) =>
    isAsked(asked, request) && answered.status === 200
      ? { ...answered, json: change(answered.json, asked) }
      : answered,
});

const rolls = (change: (roll: JsonObject) => readonly Json[]): Change =>
  to(
    'GET /api/rolls',
    edit('rolls', (list) => (list as readonly JsonObject[] | undefined)?.flatMap(change)),
  );

const addressIn = ({ path }: Request): string => path.split('/')[3] ?? '';

/** The last label of a die that is not null stays in the answers that fit. */
const keptLabel = (request: string, edited: (label: Edit) => Edit): Change => {
  const labels = new Map<string, Json>();
  return {
    ask: (asked) => {
      const { body } = asked;
      if (asked.method === 'PATCH' && isObject(body) && typeof body['label'] === 'string')
        labels.set(addressIn(asked), body['label']);
      return body;
    },
    ...to(
      request,
      edited((record) =>
        isObject(record)
          ? { ...record, label: record['label'] ?? labels.get(String(record['address'])) ?? null }
          : record,
      ),
    ),
  };
};

/** After a change of the type, faces are still those with the offset of the last calibration. */
const keptOffset = (): Change => {
  let offset: Acceleration | undefined;
  let type: DiceType | undefined;
  return {
    ask: ({ body }) => {
      if (isObject(body) && 'dice_type' in body) type = body['dice_type'] as DiceType;
      return body;
    },
    ...to('POST /api/calibrate', (json) => {
      offset = (json as JsonObject)['offset'] as Acceleration;
      type = undefined;
      return json;
    }),
    message: (message) => {
      const measured = message['acceleration'] as Acceleration | undefined;
      if (offset === undefined || type === undefined || measured === undefined) return [message];
      const { x, y, z } = measured;
      return [{ ...message, face: faceOf(type, { x: x + offset.x, y: y + offset.y, z: z + offset.z }) }];
    },
  };
};

/** All rolls of a die have its last type. */
const typeOfNow = (): Change => {
  const types = new Map<Json, Json>();
  return {
    ask: (asked) => {
      if (isObject(asked.body) && typeof asked.body['dice_type'] === 'string')
        types.set(asked.body['address'] ?? addressIn(asked), asked.body['dice_type']);
      return asked.body;
    },
    ...rolls((roll) => [{ ...roll, dice_type: types.get(roll['address']) ?? roll['dice_type'] }]),
  };
};

/** Taps that were switched on stay on, though the answer says that they are off. */
const keptTaps: Change = {
  ask: ({ path, body }) =>
    path === '/api/taps' && isObject(body) && body['single'] === false ? set({ single: true })(body) : body,
  ...to('POST /api/taps', (json, { body }) => ({ ...(json as JsonObject), ...(body as JsonObject) })),
};

/** A session shows the settings that an earlier session of its die had. */
const keptSettings = (): Change => {
  const addresses = new Map<Json, Json>();
  const settings = new Map<Json, JsonObject>();
  return {
    answer: (answered, { path, body }) => {
      const { json } = answered;
      if (!isObject(json)) return answered;
      const { session_id } = json;
      if (path === '/api/connect' && isObject(body)) addresses.set(session_id, body['address']);
      const address = addresses.get(session_id);
      const { led1, led2 } = json;
      if (path === '/api/led' && answered.status === 200) settings.set(address, { leds: { led1, led2 } });
      return path.startsWith('/api/status') && json['leds'] === null
        ? { ...answered, json: { ...json, ...settings.get(address) } }
        : answered;
    },
  };
};

/** Rests that are not level count too. */
const countedLeaning = (): Change => {
  let leaning = 0;
  return {
    message: (message) => {
      if (message['kind'] === 'TiltStable') leaning += 1;
      return [message];
    },
    answer: (answered, { path }) =>
      path.includes('/statistics')
        ? { ...answered, json: edit('rolls', (count) => Number(count) + leaning)(answered.json) }
        : answered,
  };
};

export const diceSequences: readonly Mutation[] = [
  ...RESTS.flatMap((kind) => [
    ...mutations('@D-beyond-rolls', {
      [`${kind} is stored twice`]: rolls((roll) => (roll['ended'] === kind ? [roll, roll] : [roll])),
      [`${kind} is not stored`]: rolls((roll) => (roll['ended'] === kind ? [] : [roll])),
      [`${kind} is stored as Stable`]: rolls((roll) => [
        { ...roll, ended: roll['ended'] === kind ? 'Stable' : roll['ended'] },
      ]),
    }),
  ]).filter(({ defect }) => defect !== 'Stable is stored as Stable'),
  ...mutations('@D-beyond-rolls', { 'all rolls have the type of now': typeOfNow() }),
  ...['TiltStable', 'FakeStable', 'MoveStable', 'Tap', 'DoubleTap', 'Charging', 'Reconnected'].flatMap(
    (kind) =>
      mutations('@D-other-events', {
        [`${kind} comes twice`]: doubled('kind', kind),
        [`${kind} does not come`]: lost('kind', kind),
      }),
  ),
  ...mutations('@D-other-events', { 'taps cannot be switched off': keptTaps }),
  ...mutations('@D-event-roll-start', { 'RollStart comes twice': doubled('kind', 'RollStart') }),
  ...mutations('@D-calibrate', { 'a calibration outlives a change of the type': keptOffset() }),
  ...mutations('@D-beyond-statistics', {
    'p is given at 4 expected a face': to('GET /api/dice/', (json) =>
      isObject(json) && Number(json['expected']) >= 4 ? { ...json, p: json['p'] ?? 0.5 } : json,
    ),
    'rests that lean are counted': countedLeaning(),
  }),
  ...mutations('@D-beyond-records', {
    'a removed label stays in the list of dice': keptLabel('GET /api/dice', each),
    'a removed label stays in the list of sessions': keptLabel('GET /api/sessions', each),
    'a removed label stays in the status': keptLabel('GET /api/status', (change) => change),
  }),
  ...mutations('@D-beyond-detail', { 'a session has the LEDs of an earlier one': keptSettings() }),
];
