import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { codecs } from '../../src/http/index.js';
import type { Fault, FaultSpec } from '../radio/index.js';

const MAX_MS = 3_600_000;
const MAX_COUNT = 1_000_000;

const device = new t.Type<string, string, unknown>(
  `all or ${codecs.deviceAddress.name}`,
  t.string.is,
  (value, context) => (value === 'all' ? t.success('all') : codecs.deviceAddress.validate(value, context)),
  t.identity,
);
const count = codecs.integer(1, MAX_COUNT);
const often = { times: count };

/** A fault as the control API takes it: what the air knows, under the same names. */
export const FaultBody: t.Type<FaultSpec, unknown> = codecs.tagged('type', {
  link_loss: codecs.objectWith({ type: t.literal('link_loss'), device }, { ...often, after: count }),
  silence: codecs.objectWith({ type: t.literal('silence'), device }, often),
  delay: codecs.objectWith({ type: t.literal('delay'), device, ms: codecs.integer(0, MAX_MS) }, often),
  loss: codecs.objectWith({ type: t.literal('loss'), device, rate: codecs.number(0, 1) }, often),
  failed_establishment: codecs.objectWith({ type: t.literal('failed_establishment'), device }, often),
});

export const faultJson = (fault: Fault): JsonRecord => ({ ...fault });
