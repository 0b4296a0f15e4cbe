import { sampled } from './breaks.js';
import { proveFeatures } from './broken-server.js';
import { diceBreaks } from './dice-breaks.js';

proveFeatures('The dice features', {
  server: 'diceUrl',
  sound: '@D-connect or @D-ws',
  broken: sampled(diceBreaks),
});
