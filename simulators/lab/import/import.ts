/** Imports device descriptions of other programs. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { anyObject, decode, parseError, type ParseError } from '../../../src/codecs/index.js';
import { BUMBLE_FIELDS, BumbleDevice, importBumble } from './bumble.js';
import type { Imported } from './imported.js';
import { NrfConnectSetup, importNrfConnect } from './nrf-connect.js';

const WHOLE = 'the file';

/**
 * A device of a configuration of Bumble, or of a server setup of nRF Connect for Desktop, which has `children`. Left: a
 * message about the first invalid field.
 */
export const importDevice = (value: unknown): E.Either<ParseError, Imported> =>
  pipe(
    value,
    decode(anyObject, WHOLE),
    E.filterOrElse(
      (object) => !('kind' in object),
      () => parseError(`${WHOLE} has a kind: it is a file for --devices as it is`),
    ),
    E.filterOrElse(
      (object) => ['children', ...BUMBLE_FIELDS].some((name) => name in object),
      () =>
        parseError(
          `${WHOLE} is neither a configuration of Bumble, with one of ${BUMBLE_FIELDS.join(', ')}, nor a setup of nRF Connect for Desktop, with children`,
        ),
    ),
    E.chain((object) =>
      'children' in object
        ? pipe(object, decode(NrfConnectSetup, WHOLE), E.map(importNrfConnect))
        : pipe(
            object,
            decode(BumbleDevice, WHOLE),
            E.map((device) => importBumble(device, object)),
          ),
    ),
  );
