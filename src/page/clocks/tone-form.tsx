/** Chooses, plays and uploads a custom tone. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { detached } from '../../async/defects.js';
import { Action } from '../common/action.js';
import { playTone, uploadTone } from './actions.js';
import { namedFor } from '../common/texts.js';
import { fullNameOf, type ClockView } from './state.js';
import { texts } from './texts.js';
import { LONGEST_SECS, play, toneOf, type Tone } from './tone.js';

const inWords = (tone: Tone | null): string => {
  if (tone === null) return texts.unreadableTone(LONGEST_SECS);
  if (tone.format === 'wav') return texts.unplayableTone(LONGEST_SECS);
  return tone.secs > LONGEST_SECS ? texts.cutTone(tone.secs, LONGEST_SECS) : texts.secs(tone.secs);
};

export const ToneForm = ({ clock }: { readonly clock: ClockView }) => {
  const { address, linked, progress } = clock;
  const fullName = fullNameOf(clock);
  const tone = useSignal<Tone | null>(null);
  const message = useSignal('');
  const stop = useSignal<(() => void) | null>(null);
  useEffect(() => () => stop.value?.(), []);

  const choose = async (file: File | undefined): Promise<void> => {
    stop.value?.();
    tone.value = null;
    message.value = '';
    if (file === undefined) return;
    message.value = texts.converting;
    tone.value = await toneOf(file);
    message.value = inWords(tone.value);
  };

  const listen = (samples: Uint8Array): void => {
    if (stop.value === null) stop.value = play(samples, () => (stop.value = null));
    else stop.value();
  };

  const upload = async (chosen: Tone) => {
    message.value = '';
    const failure = await uploadTone(address, chosen);
    if (failure === null) message.value = texts.uploaded;
    return failure;
  };

  const percent = Math.round((progress ?? 0) * 100);
  const chosen = tone.value;
  return (
    <div class="tone">
      <label>
        {texts.chooseTone}
        <input
          type="file"
          accept="audio/*,.wav"
          aria-label={namedFor(texts.chooseTone, fullName)}
          onChange={(event) => detached(choose(event.currentTarget.files?.[0]))}
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
        {chosen?.format === 'pcm_u8_8k' ? (
          <button
            type="button"
            aria-label={namedFor(stop.value === null ? texts.listen : texts.stop, fullName)}
            onClick={() => listen(chosen.bytes)}
          >
            {stop.value === null ? texts.listen : texts.stop}
          </button>
        ) : null}
        {chosen === null ? null : (
          <Action
            primary
            label={texts.upload}
            of={fullName}
            busy={texts.uploading}
            disabled={!linked}
            run={() => upload(chosen)}
          />
        )}
        <Action label={texts.preview} of={fullName} disabled={!linked} run={() => playTone(address)} />
      </div>
    </div>
  );
};
