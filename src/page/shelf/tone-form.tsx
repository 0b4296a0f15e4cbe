/** A tone of one's own: chosen, heard, uploaded. */
import { useSignal } from '@preact/signals';
import { AUDIO_RATE } from '../../clock/protocol/audio.js';
import { Action } from '../action.js';
import { playTone, uploadTone } from './actions.js';
import type { ShelfClock } from './state.js';
import { texts } from './texts.js';
import { convert, LONGEST_SECS, play } from './tone.js';

export const ToneForm = ({ clock }: { readonly clock: ShelfClock }) => {
  const { address, linked, progress } = clock;
  const samples = useSignal<Uint8Array | null>(null);
  const message = useSignal('');
  const stop = useSignal<(() => void) | null>(null);

  const choose = async (file: File | undefined): Promise<void> => {
    stop.value?.();
    samples.value = null;
    if (file === undefined) return;
    message.value = texts.converting;
    samples.value = await convert(file);
    message.value =
      samples.value === null ? texts.unreadableTone : texts.secs(samples.value.length / AUDIO_RATE);
  };

  const listen = (sound: Uint8Array): void => {
    if (stop.value === null) stop.value = play(sound, () => (stop.value = null));
    else stop.value();
  };

  const upload = async (sound: Uint8Array) => {
    message.value = '';
    const failure = await uploadTone(address, sound);
    if (failure === null) message.value = texts.uploaded;
    return failure;
  };

  const percent = Math.round((progress ?? 0) * 100);
  const sound = samples.value;
  return (
    <div class="tone">
      <label>
        {texts.chooseTone}
        <input
          type="file"
          accept="audio/*"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        <small>{texts.toneHint(LONGEST_SECS)}</small>
      </label>
      <p role="status">{message.value}</p>
      {progress === null ? null : (
        <p>
          <progress value={percent} max="100" aria-label={texts.progress(percent)} />{' '}
          <small>{texts.progress(percent)}</small>
        </p>
      )}
      <div class="actions">
        {sound === null ? null : (
          <>
            <button type="button" onClick={() => listen(sound)}>
              {stop.value === null ? texts.listen : texts.stop}
            </button>
            <Action
              primary
              label={texts.upload}
              busy={texts.uploading}
              disabled={!linked}
              run={() => upload(sound)}
            />
          </>
        )}
        <Action label={texts.preview} disabled={!linked} run={() => playTone(address)} />
      </div>
    </div>
  );
};
