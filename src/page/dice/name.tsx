/** The name of a die, which people edit in place. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { detached } from '../../async/defects.js';
import { Failed } from '../common/action.js';
import type { Failure } from '../common/api.js';
import { goOnAt } from '../common/browser.js';
import { setDie } from './actions.js';
import { nameOf } from './state.js';
import { texts } from './texts.js';

interface NameProps {
  readonly die: {
    readonly address: string;
    readonly label: string | null;
    readonly name: string | null;
  };
}

interface FormProps extends NameProps {
  readonly close: () => void;
}

/** Enter stores the label, an empty one removes it; Escape gives it up. */
const LabelForm = ({ die: { address, label, name }, close }: FormProps) => {
  const text = useSignal(label ?? '');
  const failure = useSignal<Failure | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const store = async (): Promise<void> => {
    const chosen = text.value.trim();
    failure.value = await setDie(address, { label: chosen === '' ? null : chosen });
    if (failure.value === null) close();
  };
  return (
    <form
      class="label"
      onSubmit={(event) => {
        event.preventDefault();
        detached(store());
      }}
    >
      <input
        ref={input}
        type="text"
        maxLength={60}
        autocomplete="off"
        enterkeyhint="done"
        aria-label={texts.labelOf(nameOf({ address, name }))}
        title={texts.labelHint}
        placeholder={nameOf({ address, name })}
        value={text.value}
        onInput={({ currentTarget: { value } }) => (text.value = value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') close();
        }}
      />
      <Failed message={failure.value?.error} code={failure.value?.code} />
    </form>
  );
};

export const Name = ({ die }: NameProps) => {
  const { address } = die;
  const isEdited = useSignal(false);
  const id = `name-${address}`;
  if (isEdited.value)
    return (
      <LabelForm
        die={die}
        close={() => {
          isEdited.value = false;
          goOnAt(id);
        }}
      />
    );
  return (
    <h2>
      <button
        id={id}
        type="button"
        class="name"
        title={texts.rename(nameOf(die), address)}
        onClick={() => (isEdited.value = true)}
      >
        {nameOf(die)}
      </button>
    </h2>
  );
};
