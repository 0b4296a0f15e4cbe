/** The upload of a tone to a clock (docs/cgd1-protocol.md §8). */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { AlarmClock } from './cgd1/clock.js';
import {
  AUDIO_BLOCK,
  AUDIO_MTU,
  audioBlocks,
  CUSTOM_SIGNATURES,
  encodeSettings,
  isAcknowledged,
  padAudio,
  type Command,
  type SettingsRecord,
} from '../protocols/cgd1/index.js';
import { settingsIn } from './settings.js';

const NAME = 'upload_ringtone';

/** A signature for the upload: a clock refuses a tone under the signature in use. */
const otherSignature = (record: SettingsRecord, device: AlarmClock): E.Either<DeviceError, string> => {
  const [first, second] = CUSTOM_SIGNATURES;
  return pipe(
    settingsIn(device.link.address, record),
    E.map(({ ringtone }) => (ringtone === first ? second : first)),
  );
};

const checkMtu = ({ link: { address, mtu } }: AlarmClock): E.Either<DeviceError, void> =>
  mtu !== null && mtu < AUDIO_MTU
    ? E.left({ _tag: 'MtuTooSmall', address, mtu, needed: AUDIO_MTU })
    : E.right(undefined);

/** Sends all blocks; calls `progress` at each ACK, in bytes. */
const sendBlocks =
  (
    device: AlarmClock,
    padded: Buffer,
    progress: (sent: number, total: number) => void,
  ): TE.TaskEither<DeviceError, void> =>
  async () => {
    const blocks = audioBlocks(padded);
    for (const [index, data] of blocks.entries()) {
      const block: Command = { _tag: 'AudioBlock', data };
      const awaited = isAcknowledged(index, blocks.length);
      const sent = await (awaited ? device.execute(NAME, block) : device.send(block))();
      if (E.isLeft(sent)) return sent;
      if (awaited) progress((index + 1) * AUDIO_BLOCK, padded.length);
    }
    return E.right(undefined);
  };

/**
 * Uploads a tone (8-bit unsigned PCM, 8 kHz, mono) and selects it. Right: its signature, 8 hex digits. The old tone stays
 * in use until the end. Nothing else may be sent to the clock during the upload.
 */
export const uploadTone = (
  device: AlarmClock,
  samples: Buffer,
  progress: (sent: number, total: number) => void,
): TE.TaskEither<DeviceError, string> => {
  const padded = padAudio(samples);
  return pipe(
    TE.fromEither(checkMtu(device)),
    TE.chain(() => device.settings(NAME)),
    TE.chainEitherK((record) => otherSignature(record, device)),
    TE.chainFirst((signature) => device.execute(NAME, { _tag: 'AudioInit', size: padded.length, signature })),
    TE.chainFirst(() => sendBlocks(device, padded, progress)),
    TE.chainFirst((signature) =>
      pipe(
        device.settings(NAME),
        TE.chain((record) =>
          device.execute(NAME, {
            _tag: 'WriteSettings',
            record: encodeSettings(record, { ringtone: signature }),
          }),
        ),
      ),
    ),
  );
};
