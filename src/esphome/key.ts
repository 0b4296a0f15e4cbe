import * as E from 'fp-ts/lib/Either.js';
import { KEY_BYTES } from './noise.js';

/** 32 bytes in base64, as `api: encryption: key:` of ESPHome has them. */
const FORM = /^[A-Za-z0-9+/]{43}=$/;

/** Reads an encryption key. Left: what it must be; the key is not in it. */
export const readKey = (text: string): E.Either<string, Buffer> =>
  FORM.test(text.trim())
    ? E.right(Buffer.from(text.trim(), 'base64'))
    : E.left(`it must be a key of ${KEY_BYTES} bytes in base64 (44 characters), such as ESPHome makes`);
