/** Imports device descriptions of other programs. */
import { isUtf8 } from 'node:buffer';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { anyObject, decode, parseError, parseJson, type ParseError } from '../../../src/codecs/index.js';
import { importBumble, isBumble } from './bumble.js';
import { WHOLE, type Imported } from './imported.js';
import { importNrfConnect } from './nrf-connect.js';

const refused = (reason: string): E.Either<ParseError, never> => E.left(parseError(reason));

/**
 * A device of a configuration of Bumble, or of a server setup of nRF Connect for Desktop, which has `children`. Left: a
 * message about the first invalid field, or about another kind of file.
 */
export const importDevice = (value: unknown): E.Either<ParseError, Imported> =>
  pipe(
    value,
    decode(anyObject, WHOLE),
    E.chain((object) => {
      if ('kind' in object) return refused(`${WHOLE} has a kind: it is a file for --devices as it is`);
      if ('children' in object) return importNrfConnect(object);
      if (isBumble(object)) return importBumble(object);
      // saveAdvSetup in lib/actions/advertisingActions.js of pc-nrfconnect-ble 3.0.1.
      return refused(
        'advertisingData' in object
          ? `${WHOLE} is an advertising setup of nRF Connect for Desktop: import its server setup, with children`
          : `${WHOLE} is neither a configuration of Bumble, with a field such as address or keystore, nor a server setup of nRF Connect for Desktop, with children`,
      );
    }),
  );

/** The device in a JSON file. Left: as of `importDevice`, or a message about bytes that are not JSON. */
export const importFile = (bytes: Buffer): E.Either<ParseError, Imported> => {
  if (!isUtf8(bytes)) return refused('it is not text in UTF-8');
  const text = bytes.toString('utf8').trim();
  if (text.startsWith('<'))
    return refused(
      'it is XML or HTML instead of JSON: import reads setups of nRF Connect for Desktop, not of nRF Connect for Mobile',
    );
  return pipe(parseJson(text, 'it'), E.chain(importDevice));
};
