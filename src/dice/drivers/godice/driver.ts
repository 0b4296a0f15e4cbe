/** GoDice of Particula (docs/godice-protocol.md). */
import { pipe } from 'fp-ts/lib/function.js';
import * as O from 'fp-ts/lib/Option.js';
import { NOTHING_ADVERTISED, type DieDriver } from '../../port/driver.js';
import { openDie } from './die.js';
import {
  isDiceName,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  parseName,
} from '../../../protocols/godice/index.js';

export const goDice: DieDriver = {
  manufacturer: 'Particula',
  model: 'GoDice',
  /** The name decides, once it is known: other devices offer the same service. */
  isDie: ({ name, serviceUuids }) => (name === null ? serviceUuids.includes(NUS_SERVICE) : isDiceName(name)),
  advertised: ({ name }) => ({
    ...NOTHING_ADVERTISED,
    color: pipe(
      O.fromNullable(name),
      O.chain((text) => O.fromEither(parseName(text))),
      O.match(
        () => null,
        ({ colour }) => colour,
      ),
    ),
  }),
  profile: () => [{ service: NUS_SERVICE, characteristics: [NUS_WRITE, NUS_NOTIFY] }],
  open: openDie,
};
