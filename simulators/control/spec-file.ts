/** Files of devices. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as codecs from '../../src/codecs/index.js';
import { decode, parseError } from '../../src/codecs/index.js';
import { builtInKinds, type Kinds } from './kinds.js';
import { decodeSpec, type DeviceSpec } from './specs.js';

const distinctAddresses = (
  specs: readonly DeviceSpec[],
): E.Either<codecs.ParseError, readonly DeviceSpec[]> => {
  const seen = new Map<string, number>();
  for (const [index, { address }] of specs.entries()) {
    if (address === undefined) continue;
    const first = seen.get(address);
    if (first !== undefined) {
      return E.left(
        parseError(
          `device ${index + 1}: address must be its own, got ${address}, which device ${first + 1} has`,
        ),
      );
    }
    seen.set(address, index);
  }
  return E.right(specs);
};

/** Reads a file of devices: an array of what `POST /devices` takes. Left: a message that begins with the entry, from 1. */
export const decodeSpecs = (
  value: unknown,
  kinds: Kinds = builtInKinds,
): E.Either<codecs.ParseError, readonly DeviceSpec[]> =>
  pipe(
    value,
    decode(codecs.array(codecs.anything, 'an array of devices'), 'the file'),
    E.chain(
      E.traverseArrayWithIndex((index, entry) =>
        pipe(
          entry,
          decodeSpec(kinds),
          E.mapLeft((error) => ({ ...error, message: `device ${index + 1}: ${error.message}` })),
        ),
      ),
    ),
    E.chain(distinctAddresses),
  );
