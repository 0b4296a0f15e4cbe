import { clockBreaks } from './clock-breaks.js';
import { unsampled } from './breaks.js';
import { proveFeatures } from './broken-server.js';

proveFeatures('The clock features', {
  server: 'clockUrl',
  sound: '@C-ack or @C-rest-battery or @C-path',
  broken: unsampled(clockBreaks),
});
