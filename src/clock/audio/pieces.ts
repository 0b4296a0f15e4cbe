/** Files that a client sends piece by piece, one for each clock. */
import * as E from 'fp-ts/lib/Either.js';
import type { Address } from '../../ble/ports.js';
import { parseError, type ServerError } from '../../http/index.js';
import { MAX_AUDIO } from '../protocol/index.js';
import type { ToneFormat } from './tone.js';

export interface Piece {
  readonly address: Address;
  /** Bytes of the file before this piece; 0 begins another file. */
  readonly offset: number;
  readonly data: Buffer;
  readonly last: boolean;
  readonly format?: ToneFormat | undefined;
}

export interface Taken {
  /** Bytes so far. */
  readonly received: number;
  /** The whole file, with its last piece. */
  readonly file: { readonly format: ToneFormat; readonly bytes: Buffer } | null;
}

export interface Pieces {
  /** Left: a piece out of order, without a format, or too much; then the file so far is as it was, or forgotten. */
  readonly take: (piece: Piece) => E.Either<ServerError, Taken>;
}

interface Unfinished {
  readonly format: ToneFormat;
  readonly parts: Buffer[];
  size: number;
}

/** Bytes; a WAV of the longest tone in 64-bit stereo at 96 kHz, or 32-bit at 192 kHz, fits. */
const LARGEST: Readonly<Record<ToneFormat, number>> = { wav: 24 * 1024 * 1024, pcm_u8_8k: MAX_AUDIO };

export const openPieces = (): Pieces => {
  const unfinished = new Map<Address, Unfinished>();

  const begun = ({ address, offset, format }: Piece): E.Either<ServerError, Unfinished> => {
    if (offset > 0) {
      const file = unfinished.get(address);
      const expected = file?.size ?? 0;
      return file !== undefined && offset === expected
        ? E.right(file)
        : E.left(parseError(`offset must be ${expected}, got ${offset}: pieces are to be sent in order`));
    }
    return format === undefined
      ? E.left(parseError('format is missing: with the first piece it must be wav or pcm_u8_8k'))
      : E.right({ format, parts: [], size: 0 });
  };

  return {
    take: (piece) => {
      const { address, data, last } = piece;
      const before = begun(piece);
      if (E.isLeft(before)) return before;
      const file = before.right;
      const { format, parts } = file;
      const received = file.size + data.length;
      const fits = received <= LARGEST[format];
      if (last || !fits) unfinished.delete(address);
      else unfinished.set(address, file);
      if (!fits) {
        return E.left(
          parseError(`a file of the format ${format} must have at most ${LARGEST[format]} bytes`),
        );
      }
      if (data.length > 0) parts.push(data);
      file.size = received;
      return E.right({ received, file: last ? { format, bytes: Buffer.concat(parts) } : null });
    },
  };
};
