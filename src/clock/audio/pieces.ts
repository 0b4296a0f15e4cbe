/** Files that clients send in pieces: one for each clock and connection. */
import * as E from 'fp-ts/lib/Either.js';
import type { DeviceError } from '../../devices/device-error.js';
import type { Address } from '../../ble/ports.js';
import { parseError } from '../../codecs/index.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { MAX_AUDIO } from '../../protocols/cgd1/index.js';
import { openTone, type ToneFormat, type ToneReader } from './tone.js';

/** A budget of memory, divided into shares; `most`: bytes of all shares together. */
export const openBudget = (most: number) => {
  let held = 0;
  return {
    most,
    /** Bytes of all shares. */
    get held(): number {
      return held;
    },
    /** Makes an empty share. */
    share: () => {
      let size = 0;
      /** Resizes the share. False: there is no room for so many bytes, and the share stays as it is. */
      const hold = (bytes: number): boolean => {
        if (bytes > size && held - size + bytes > most) return false;
        held += bytes - size;
        size = bytes;
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

/** A tone, which counts among the uploads of the server until it is released. */
export interface Tone {
  readonly samples: Buffer;
  /** Must be called once, when the samples are not needed any more. */
  readonly release: () => void;
}

const MIB = 1024 * 1024;

/** The most bytes of a file; a WAV of the longest tone fits in 64-bit stereo at 96 kHz, or in 32-bit at 192 kHz. */
const LARGEST: Readonly<Record<ToneFormat, number>> = { wav: 24 * MIB, pcm_u8_8k: MAX_AUDIO };

/** The most bytes of all files of a server, and of tones that are not released. */
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
  /** Cancels the limit for the next piece. */
  cancel: Cancel;
}

/** Adds a piece to a file. Left: the reason why the file ends. */
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

/** Opens the files of a connection. `budget`: the budget of all connections. */
export const openPieces = (time: TimeSource, budget: Budget) => {
  const unfinished = new Map<Address, Unfinished>();
  /** The reasons why files have ended. */
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
     * Left: a piece is out of order or lacks the format, and the file stays as it was; or the file is not a tone, is too
     * large or exceeds the budget, and ends. After its end, and after a minute without a piece, further pieces of the file fail
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
    /** Forgets all unfinished files. */
    close: () => {
      for (const address of [...unfinished.keys()]) forget(address);
    },
  };
};

/** The files of one connection. */
export type Pieces = ReturnType<typeof openPieces>;
