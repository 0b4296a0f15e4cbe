import type { MessageOf } from '../esphome/index.js';

export type Parameters = Omit<MessageOf<'SetConnectionParamsRequest'>, 'address'>;

/** In units of 1.25 ms, of connection events, and of 10 ms. */
const INTERVALS = { least: 0x0006, most: 0x0c80 };
const MOST_LATENCY = 0x01f3;
const TIMEOUTS = { least: 0x000a, most: 0x0c80 };

const isWithin = (value: number, { least, most }: typeof INTERVALS): boolean =>
  value >= least && value <= most;

/** Whether a controller takes connection parameters (Core 5.4 Vol 4 Part E 7.8.18). */
export const areValid = ({ minInterval, maxInterval, latency, timeout }: Parameters): boolean =>
  isWithin(minInterval, INTERVALS) &&
  isWithin(maxInterval, INTERVALS) &&
  minInterval <= maxInterval &&
  latency <= MOST_LATENCY &&
  isWithin(timeout, TIMEOUTS) &&
  // In milliseconds: timeout * 10 > (1 + latency) * maxInterval * 1.25 * 2.
  timeout * 4 > (1 + latency) * maxInterval;
