/** GoDice of Particula (docs/godice-protocol.md). */
import { pipe } from 'fp-ts/lib/function.js';
import * as O from 'fp-ts/lib/Option.js';
import type { DieDriver } from '../../port/driver.js';
import { openDie } from './die.js';
import {
  faceOf,
  isDiceName,
  nearestVector,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  parseName,
} from './protocol/index.js';

export const goDice: DieDriver = {
  manufacturer: 'Particula',
  model: 'GoDice',
  /** Other devices offer the same service: the name decides, once it is known. */
  isDie: ({ name, serviceUuids }) => (name === null ? serviceUuids.includes(NUS_SERVICE) : isDiceName(name)),
  colourIn: (name) =>
    pipe(
      O.fromEither(parseName(name)),
      O.match(
        () => null,
        ({ colour }) => colour,
      ),
    ),
  profile: [{ service: NUS_SERVICE, characteristics: [NUS_WRITE, NUS_NOTIFY] }],
  open: openDie,
  faceOf,
  levelOn: nearestVector,
};
