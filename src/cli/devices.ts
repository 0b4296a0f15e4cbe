/** Which dice a server connects by itself. */
import { readFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import * as t from 'io-ts';
import { ConnectRequest } from '../dice/contract.js';
import { decode, errorReply, type ServerError } from '../http/index.js';
import type { Read } from './options.js';

const sentence = (error: ServerError): string => errorReply(error).body.error;

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const readOne = (given: string): E.Either<string, ConnectRequest> => {
  const [address, dice_type] = given.trim().split('=', 2);
  return pipe(
    decode(ConnectRequest, 'it')(dice_type === undefined ? { address } : { address, dice_type }),
    E.mapLeft(sentence),
  );
};

/** `ADDRESS[=d20]`, several with commas between, added to those given before. */
export const readConnect: Read<readonly ConnectRequest[]> = (given, previous) =>
  pipe(
    E.traverseArray(readOne)(given.split(',')),
    E.map((requests) => [...previous, ...requests]),
  );

const DevicesFile = t.readonlyArray(ConnectRequest, 'a JSON array of {"address", "dice_type"}');

/** A file with a JSON array of `{"address", "dice_type"}`, the type optional. */
export const readDevicesFile: Read<readonly ConnectRequest[]> = (path) =>
  pipe(
    E.tryCatch(() => readFileSync(path, 'utf8'), messageOf),
    E.chain((text) =>
      pipe(
        J.parse(text),
        E.mapLeft((thrown) => `it is not valid JSON: ${messageOf(thrown)}`),
      ),
    ),
    E.chain((json) => pipe(decode(DevicesFile, 'it')(json), E.mapLeft(sentence))),
  );
