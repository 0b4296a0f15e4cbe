/** The rows about clocks and readings that the server remembers. */
import type * as t from 'io-ts';
import {
  about,
  array,
  boolean,
  integerInText,
  literal,
  named,
  nullable,
  object,
  text,
  type AnyCodec,
} from '../codecs/index.js';
import { command, endpoint, label, seen, span } from '../contract/index.js';
import { address, level, name, reading } from './contract-values.js';

export const ClockRecord = named(
  'ClockRecord',
  'A clock that the server has heard; null: not known',
  object({
    address,
    label,
    name,
    keep_connected: about('Whether the server connects it at start, and whenever it hears it', boolean),
    timezone: about('The time zone that its offset follows, by its IANA name', nullable(text)),
    ...seen,
    connected: about('Whether it is connected now', boolean),
  }),
);
export type ClockRecord = t.TypeOf<typeof ClockRecord>;

/** The figures of one reading in a step. */
const figures = <C extends AnyCodec>(figure: C) =>
  object({
    mean: about('The mean', figure),
    min: about('The lowest', figure),
    max: about('The highest', figure),
  });

export const HistoryPoint = named(
  'HistoryPoint',
  'The readings of one step',
  object({
    time: about('The start of the step, ISO 8601, UTC', text),
    temperature: about('Degrees Celsius', figures(reading.temperature)),
    humidity: about('Per cent of relative humidity', figures(reading.humidity)),
    battery: about('The lowest level, per cent; null: the clock told none', nullable(level)),
  }),
);
export type HistoryPoint = t.TypeOf<typeof HistoryPoint>;

/** The most points of an answer. */
export const MOST_POINTS = 2_000;

/** Commands about a clock that the server has heard, connected or not. */
export const recordRequests = {
  set_label: command({
    summary: 'Gives a clock a name, or removes it with null',
    parameters: object({ address, label }),
    response: object({ address, label }),
    fails: ['not_connected'],
  }),
  keep_connected: command({
    summary: 'Connects a clock at start and whenever it is heard, or no longer',
    parameters: object({ address, keep_connected: about('Whether to keep it connected', boolean) }),
    response: object({ address, keep_connected: about('Whether it is kept connected', boolean) }),
    fails: ['not_connected'],
  }),
  forget: command({
    summary:
      'Forgets the label and the readings of a clock, and keeps it connected no longer; never its token',
    parameters: object({ address }),
    response: object({ address, forgotten: literal(true) }),
    fails: ['not_connected', 'history_unavailable'],
  }),
};

export const recordEndpoints = {
  clocks: endpoint({
    method: 'GET',
    path: '/api/clocks',
    subject: 'Memory',
    summary: 'Lists the clocks that the server has heard, connected or not',
    response: array(ClockRecord, 'an array of clocks'),
  }),
  history: endpoint({
    method: 'GET',
    path: '/api/devices/:address/history',
    subject: 'Memory',
    summary: 'Returns the readings of a clock in steps of time, the oldest first, also without a connection',
    params: { address },
    query: {
      ...span,
      step: about(
        'Seconds of a step; 300, or what the number of points allows, unless given',
        integerInText(60, 86_400),
      ),
    },
    response: array(HistoryPoint, 'an array of points'),
    fails: ['unknown_device', 'history_unavailable'],
  }),
};
