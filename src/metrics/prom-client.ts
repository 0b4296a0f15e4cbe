/** What counts and measures, of prom-client: its index loads OpenTelemetry too, for the figures of the process alone. */
import { createRequire } from 'node:module';
import type * as client from 'prom-client';

const require = createRequire(import.meta.url);

export const Counter = require('prom-client/lib/counter.js') as typeof client.Counter;
export const Gauge = require('prom-client/lib/gauge.js') as typeof client.Gauge;
export const Histogram = require('prom-client/lib/histogram.js') as typeof client.Histogram;
export const Registry = require('prom-client/lib/registry.js') as typeof client.Registry;
