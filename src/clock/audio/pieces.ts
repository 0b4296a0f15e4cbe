/** Files that clients send piece by piece: one for each clock and connection. */
import * as E from 'fp-ts/lib/Either.js';
import type { DeviceError } from '../../devices/device-error.js';
import type { Address } from '../../ble/ports.js';
import { parseError } from '../../codecs/index.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { MAX_AUDIO } from '../../protocols/cgd1/index.js';
import { openTone, type ToneFormat, type ToneReader } from './tone.js';

/** Memory that shares count against; `most`: bytes that all of them together may have. */
export const openBudget = (most: number) => {
  let held = 0;
  return {
    most,
    /** Bytes that they have. */
    get held(): number {
      return held;
    },
    /** A share of nothing so far. */
    share: () => {
      let own = 0;
      /** False, and nothing changes, if there is no room for so many bytes. */
      const hold = (bytes: number): boolean => {
        if (bytes > own && held - own + bytes > most) return false;
        held += bytes - own;
        own = bytes;
        return true;
      };
      return { hold, release: (): void => void hold(0) };
    },
  };
};

export type Budget = ReturnType<typeof openBudget>;
export type Share = ReturnType<Budget['share']>;

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
  /** The tone of the whole file, with its last piece. */
  readonly tone: Tone | null;
}

/** Counts among the uploads of the server until it is released. */
export interface Tone {
  readonly samples: Buffer;
  /** To be called once, when the samples are not needed any more. */
  readonly release: () => void;
}

const MIB = 1024 * 1024;

/** Bytes; a WAV of the longest tone in 64-bit stereo at 96 kHz, or 32-bit at 192 kHz, fits. */
const LARGEST: Readonly<Record<ToneFormat, number>> = { wav: 24 * MIB, pcm_u8_8k: MAX_AUDIO };

/** Bytes that all files of a server, and tones that are not released, may take. */
export const MAX_HELD = 64 * MIB;

/** How long the next piece of a file may take, ms. */
const PIECE_MS = 60_000;

const timedOut = parseError(
  `the upload timed out: no piece came for ${PIECE_MS / 1000} s; begin again at offset 0`,
);

interface Unfinished {
  readonly format: ToneFormat;
  readonly reader: ToneReader;
  readonly share: Share;
  size: number;
  /** Ends the wait for the next piece. */
  cancel: Cancel;
}

/** Left: why the file ends here. */
const add = (file: Unfinished, data: Buffer, budget: Budget): E.Either<DeviceError, void> => {
  const { format, reader, share } = file;
  file.size += data.length;
  if (file.size > LARGEST[format]) {
    return E.left(parseError(`a file of the format ${format} must have at most ${LARGEST[format]} bytes`));
  }
  const taken = reader.take(data);
  if (E.isLeft(taken)) return E.left(parseError(taken.left, 'bad_tone'));
  return share.hold(reader.held)
    ? E.right(undefined)
    : E.left({ _tag: 'UploadsFull', bytes: budget.most, retryMs: PIECE_MS });
};

/** Opens the files of a connection. `budget`: of all connections. */
export const openPieces = (time: TimeSource, budget: Budget) => {
  const unfinished = new Map<Address, Unfinished>();
  /** Why files have ended. */
  const ended = new Map<Address, DeviceError>();

  const forget = (address: Address): void => {
    const file = unfinished.get(address);
    file?.cancel();
    file?.share.release();
    unfinished.delete(address);
    ended.delete(address);
  };

  const end = (address: Address, reason: DeviceError): E.Either<DeviceError, never> => {
    forget(address);
    ended.set(address, reason);
    return E.left(reason);
  };

  const begin = ({ address, format }: Piece): E.Either<DeviceError, Unfinished> => {
    if (format === undefined) {
      return E.left(parseError('format is missing: with the first piece it must be wav or pcm_u8_8k'));
    }
    forget(address);
    const file = {
      format,
      reader: openTone(format),
      share: budget.share(),
      size: 0,
      cancel: () => undefined,
    };
    unfinished.set(address, file);
    return E.right(file);
  };

  const goOn = ({ address, offset }: Piece): E.Either<DeviceError, Unfinished> => {
    const reason = ended.get(address);
    if (reason !== undefined) return E.left(reason);
    const file = unfinished.get(address);
    const expected = file?.size ?? 0;
    return file !== undefined && offset === expected
      ? E.right(file)
      : E.left(parseError(`offset must be ${expected}, got ${offset}: pieces are to be sent in order`));
  };

  return {
    /**
     * Left: a piece out of order or without a format, which leaves the file so far as it was; or the file is no tone, too
     * large, or one too many, which ends it. Then, and when no piece of it came for a minute, further pieces of it fail
     * with the same error.
     */
    take: (piece: Piece): E.Either<DeviceError, Taken> => {
      const { address, data, last } = piece;
      const opened = piece.offset === 0 ? begin(piece) : goOn(piece);
      if (E.isLeft(opened)) return opened;
      const file = opened.right;
      file.cancel();
      const added = add(file, data, budget);
      if (E.isLeft(added)) return end(address, added.left);
      const received = file.size;
      if (!last) {
        file.cancel = time.after(PIECE_MS, () => void end(address, timedOut));
        return E.right({ received, tone: null });
      }
      const samples = file.reader.end();
      if (E.isLeft(samples)) return end(address, parseError(samples.left, 'bad_tone'));
      unfinished.delete(address);
      return E.right({ received, tone: { samples: samples.right, release: file.share.release } });
    },
    /** Forgets all that is unfinished. */
    close: () => {
      for (const address of [...unfinished.keys()]) forget(address);
    },
  };
};

/** The files of one connection. */
export type Pieces = ReturnType<typeof openPieces>;
