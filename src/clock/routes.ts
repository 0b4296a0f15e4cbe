/** The REST interface, which only reads. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { decode } from '../codecs/index.js';
import { fromDeviceError, type JsonRoute } from '../http/index.js';
import { AddressParam } from './contract.js';
import type { ReadClock, Reads } from './reads.js';

const get = (path: string, handler: JsonRoute['handler']): JsonRoute => ({
  method: 'GET',
  path,
  body: 'ignored',
  handler,
});

const ofClock = (what: string, read: ReadClock): JsonRoute =>
  get(`/api/devices/:address/${what}`, ({ params, signal }) =>
    pipe(
      TE.fromEither(decode(AddressParam, 'the path')(params)),
      TE.chainW(({ address }) => read(address, signal)),
      TE.mapLeft(fromDeviceError),
    ),
  );

export const clockRoutes = (reads: Reads): readonly JsonRoute[] => [
  get('/api/devices', () => TE.right(reads.devices())),
  ofClock('sensors', reads.sensors),
  ofClock('battery', reads.battery),
  ofClock('firmware', reads.firmware),
  ofClock('alarms', reads.alarms),
  ofClock('settings', reads.settings),
];
