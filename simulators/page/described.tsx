/** Devices that a text describes, in JSON or YAML. */
import { useSignal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../src/async/defects.js';
import { Action } from '../../src/page/common/action.js';
import { UNREACHABLE, type Failure, type Outcome } from '../../src/page/common/api.js';
import { add } from './actions.js';
import { isObject, type Body } from './schema.js';
import { texts } from './texts.js';

const invalid = (error: string): Failure => ({ code: 'invalid_input', error });

/** The devices in a text: one or a list. JSON is YAML too, whose parser is loaded on demand. */
const devicesIn = async (text: string): Promise<E.Either<Failure, readonly Body[]>> => {
  const yaml = await import('yaml').catch(() => null);
  if (yaml === null) return E.left(UNREACHABLE);
  try {
    const value: unknown = yaml.parse(text, { logLevel: 'error' });
    const devices: readonly unknown[] = Array.isArray(value) ? value : [value];
    return devices.length > 0 && devices.every(isObject)
      ? E.right(devices as readonly Body[])
      : E.left(invalid(texts.notDescribed));
  } catch (thrown) {
    const [reason = ''] = String(thrown instanceof Error ? thrown.message : thrown).split('\n');
    return E.left(invalid(texts.notReadable(reason.replace(/:$/, ''))));
  }
};

/** Adds the devices one after another, up to the first that fails. */
const addAll = async (text: string): Outcome => {
  const devices = await devicesIn(text);
  if (E.isLeft(devices)) return devices.left;
  for (const [index, device] of devices.right.entries()) {
    const failure = await add(device);
    if (failure === null) continue;
    return devices.right.length === 1
      ? failure
      : { ...failure, error: texts.ofDescribed(index + 1, failure.error) };
  }
  return null;
};

interface DescribedProps {
  readonly done: () => void;
  readonly cancel: () => void;
}

export const Described = ({ done, cancel }: DescribedProps) => {
  const text = useSignal('');
  return (
    <>
      <p class="quiet">{texts.describedHint}</p>
      <div class="fields">
        <label>
          <span>{texts.file}</span>
          <input
            type="file"
            accept=".json,.yaml,.yml,application/json,application/yaml"
            onChange={({ currentTarget }) => {
              detached(currentTarget.files?.[0]?.text().then((content) => (text.value = content)));
            }}
          />
        </label>
        <label>
          <span>{texts.description}</span>
          <textarea
            rows={8}
            spellcheck={false}
            value={text.value}
            onInput={({ currentTarget: { value } }) => (text.value = value)}
          />
        </label>
        <div class="actions">
          <Action
            label={texts.add}
            primary
            disabled={text.value.trim() === ''}
            run={async () => {
              const failure = await addAll(text.value);
              if (failure === null) done();
              return failure;
            }}
          />
          <button type="button" onClick={cancel}>
            {texts.cancel}
          </button>
        </div>
      </div>
    </>
  );
};
