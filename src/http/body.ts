import express, { type RequestHandler } from 'express';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { cut, parseError, parseJson } from '../codecs/index.js';
import { type ServerError } from '../operations/index.js';

/** The most a request body or a WebSocket message may have, bytes. */
export const MAX_BODY = 64 * 1024;

/** Reads the body's bytes into `request.body`, whatever their content type; unpacks gzip, deflate and br. */
export const readBody: RequestHandler = express.raw({ type: () => true, limit: MAX_BODY });

const utf8 = new TextDecoder('utf-8', { fatal: true });

const checkContentType = (contentType: string | undefined): E.Either<ServerError, void> => {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') {
    const given = contentType === undefined ? 'none' : `"${cut(contentType)}"`;
    return E.left({
      _tag: 'UnsupportedMedia',
      message: `the content type must be application/json, got ${given}`,
    });
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset)
    ? E.right(undefined)
    : E.left({ _tag: 'UnsupportedMedia', message: `JSON must be sent in UTF-8, got ${cut(charset)}` });
};

const decodeText = (bytes: Buffer): E.Either<ServerError, string> =>
  E.tryCatch(
    () => utf8.decode(bytes),
    () => parseError('the body is not valid UTF-8', 'invalid_json'),
  );

/**
 * The JSON value in `bytes`, or what stands for no bytes at all; Left for another content type or encoding, and text
 * that is not JSON.
 */
export const jsonBody = (
  bytes: unknown,
  contentType: string | undefined,
  none: E.Either<ServerError, unknown>,
): E.Either<ServerError, unknown> =>
  Buffer.isBuffer(bytes) && bytes.length > 0
    ? pipe(
        checkContentType(contentType),
        E.chain(() => decodeText(bytes)),
        E.chainW((text) => parseJson(text, 'the body')),
      )
    : none;
