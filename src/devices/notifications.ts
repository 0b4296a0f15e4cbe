import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Logger } from 'pino';
import type { Address } from '../ble/ports.js';
import type { ParseError } from '../codecs/parse-error.js';

/** Hands the values of notifications to `take`; one that cannot be decoded is logged and ignored. */
export const decodedBy =
  <A>(
    decode: (bytes: Buffer) => E.Either<ParseError, A>,
    { log, address }: { readonly log: Logger; readonly address: Address },
    take: (value: A) => void,
  ) =>
  (bytes: Buffer): void =>
    pipe(
      decode(bytes),
      E.match(({ message }) => log.debug({ address, bytes: bytes.toString('hex') }, message), take),
    );
