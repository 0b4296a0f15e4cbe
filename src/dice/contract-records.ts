/** The rows about dice and rolls that the server remembers. */
import type * as t from 'io-ts';
import {
  about,
  anyInteger,
  array,
  atLeastOne,
  boolean,
  deviceAddress,
  integer,
  integerInText,
  literal,
  named,
  nullable,
  number,
  object,
  oneOf,
  text,
  textRecord,
} from '../codecs/index.js';
import { endpoint, label, seen, span, streamed, type TypesOf } from '../contract/index.js';
import { RESTS } from '../protocols/dice-values.js';
import { AnyDiceType, DiceType, DieColour, level, maker } from './contract-values.js';

const time = about('ISO 8601, UTC', text);
const count = integer(0, Number.MAX_SAFE_INTEGER);

export const DieRecord = named(
  'DieRecord',
  'A die that the server has heard; null: not known',
  object({
    address: deviceAddress,
    label,
    name: about('The name that it advertises; null if none was received', nullable(text)),
    maker: nullable(maker),
    dice_type: about(
      'The type that it reports, or the shell that clients named last; null until then',
      nullable(AnyDiceType),
    ),
    color: about('The colour of the body', nullable(DieColour)),
    battery_level: about('The last level, per cent', nullable(level)),
    keep_connected: about('Whether the server connects it whenever it hears it', boolean),
    ...seen,
    connected: about('Whether it is connected now', boolean),
    session_id: about('Null without a session', nullable(text)),
    rolls: about('Rolls that are kept; null without a store, and until they are counted', nullable(count)),
  }),
);
export type DieRecord = t.TypeOf<typeof DieRecord>;

const ofDie = { address: deviceAddress };

const DieChange = atLeastOne(
  {},
  {
    label: about('A name, 1 to 60 characters; null removes it', label),
    dice_type: about('The shell, also for later sessions', DiceType),
    keep_connected: about('Whether to connect it at start, and whenever it is heard', boolean),
  },
);
export type DieChange = t.TypeOf<typeof DieChange>;

export const Roll = named(
  'Roll',
  'A result of a die',
  object({
    id: about('Its number; later rolls have larger ones', count),
    time,
    address: deviceAddress,
    dice_type: AnyDiceType,
    face: about('The face that came up', anyInteger),
    ended: about('The kind of the event that ended it', oneOf(RESTS)),
    session_id: about('The session in which it was rolled', text),
  }),
);
export type Roll = t.TypeOf<typeof Roll>;

export const RollPage = named(
  'RollPage',
  'Rolls, the newest first',
  object({
    rolls: array(Roll, 'an array of rolls'),
    next: about('The `cursor` of the next page; null on the last one', nullable(count)),
  }),
);
export type RollPage = t.TypeOf<typeof RollPage>;

export const Statistics = named(
  'Statistics',
  'The results `Stable` of a die as one type, tested against a fair die',
  object({
    ...ofDie,
    dice_type: AnyDiceType,
    rolls: about('How many', count),
    counts: about('How often each face came up', textRecord(count)),
    expected: about('How often a fair die would show each face', number(0, Number.MAX_SAFE_INTEGER)),
    chi_squared: about('Pearson’s chi-squared', number(0, Number.MAX_SAFE_INTEGER)),
    degrees: about('Degrees of freedom: the faces less one', count),
    p: about(
      'The probability that a fair die looks at least as unfair; null while a face is expected less than five times',
      nullable(number(0, 1)),
    ),
    mean: about('The mean of the faces; null without rolls', nullable(number(-1e6, 1e6))),
    longest_run: about('The most results in a row with the same face', count),
  }),
);
export type Statistics = t.TypeOf<typeof Statistics>;

const FAILS = ['history_unavailable'] as const;

/** The most rolls of a page. */
export const MOST_ON_PAGE = 10_000;

export const recordEndpoints = {
  dice: endpoint({
    method: 'GET',
    path: '/api/dice',
    subject: 'Memory',
    summary: 'Lists the dice that the server has heard, connected or not',
    response: array(DieRecord, 'an array of dice'),
  }),
  setDie: endpoint({
    method: 'PATCH',
    path: '/api/dice/:address',
    subject: 'Memory',
    summary:
      'Labels a die, puts it into a shell, or keeps it connected; a field that is left out stays as it is',
    params: ofDie,
    body: DieChange,
    response: DieRecord,
    fails: ['unknown_device', 'wrong_dice_type'],
  }),
  forgetDie: endpoint({
    method: 'DELETE',
    path: '/api/dice/:address',
    subject: 'Memory',
    summary:
      'Forgets the label and the rolls of a die, and keeps it connected no longer; its session goes on',
    params: ofDie,
    response: object({ ...ofDie, forgotten: literal(true) }),
    fails: [...FAILS, 'unknown_device'],
  }),
  rolls: endpoint({
    method: 'GET',
    path: '/api/rolls',
    subject: 'Memory',
    summary: 'Lists rolls, the newest first; as NDJSON or CSV all of them, by the header Accept',
    query: {
      address: deviceAddress,
      dice_type: AnyDiceType,
      ...span,
      limit: about(
        'The most rolls; 100 unless given, all of them as NDJSON or CSV',
        integerInText(1, MOST_ON_PAGE),
      ),
      cursor: about('`next` of the page before', integerInText(1, Number.MAX_SAFE_INTEGER)),
    },
    response: streamed(RollPage, ['application/x-ndjson', 'text/csv']),
    fails: FAILS,
  }),
  forgetRolls: endpoint({
    method: 'DELETE',
    path: '/api/rolls',
    subject: 'Memory',
    summary: 'Deletes the rolls of a die, of a time, or both; at least one of the fields must be given',
    query: { address: deviceAddress, ...span },
    response: object({ deleted: about('How many', count) }),
    fails: FAILS,
  }),
  statistics: endpoint({
    method: 'GET',
    path: '/api/dice/:address/statistics',
    subject: 'Memory',
    summary: 'Counts the faces of a die, and tests whether it is fair',
    params: ofDie,
    query: {
      dice_type: about('The type that the die had; its present one unless given', AnyDiceType),
      ...span,
    },
    response: Statistics,
    fails: [...FAILS, 'unknown_device'],
  }),
};
export type RecordEndpoints = TypesOf<typeof recordEndpoints>;
