/** The name of a device, which people edit in place. */
import { Fragment } from 'preact';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { detached } from '../../async/defects.js';
import { Failed } from './action.js';
import type { Failure, Outcome } from './api.js';
import { goOnAt } from './browser.js';
import { texts } from './texts.js';

const LONGEST = 60;

interface NameProps {
  readonly address: string;
  readonly label: string | null;
  /** The name without a label. */
  readonly name: string;
  /** The name for screen readers, where devices have the same. */
  readonly fullName?: string;
  /** Stores the label; null removes it. */
  readonly rename: (label: string | null) => Outcome;
}

interface FormProps extends NameProps {
  readonly close: () => void;
}

/** Enter stores the label, an empty one removes it; Escape gives it up. */
const LabelForm = ({ label, name, rename, close }: FormProps) => {
  const text = useSignal(label ?? '');
  const failure = useSignal<Failure | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // Not every browser focuses a field whose text is selected.
    input.current?.focus();
    input.current?.select();
  }, []);
  const store = async (): Promise<void> => {
    const chosen = text.value.trim();
    failure.value = await rename(chosen === '' ? null : chosen);
    // Escape may have closed the form meanwhile.
    if (failure.value === null && input.current !== null) close();
  };
  return (
    <form
      class="label"
      onSubmit={(event) => {
        event.preventDefault();
        detached(store());
      }}
    >
      <h2>
        <input
          ref={input}
          type="text"
          maxLength={LONGEST}
          autocomplete="off"
          enterkeyhint="done"
          aria-label={texts.labelOf(label ?? name)}
          title={texts.labelHint}
          placeholder={name}
          value={text.value}
          onInput={({ currentTarget: { value } }) => (text.value = value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') close();
          }}
        />
      </h2>
      <Failed message={failure.value?.error} code={failure.value?.code} />
    </form>
  );
};

/** A name with places for a line break. */
const breakable = (name: string) =>
  name.split(/(?<=[_-])/).map((part, index) => (
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));

export const Name = (props: NameProps) => {
  const { address, label, name, fullName } = props;
  const isEdited = useSignal(false);
  const id = `name-${address}`;
  const close = (): void => {
    isEdited.value = false;
    goOnAt(id);
  };
  return isEdited.value ? (
    <LabelForm {...props} close={close} />
  ) : (
    <h2>
      <button
        id={id}
        type="button"
        class="name"
        aria-label={fullName}
        title={texts.rename(label ?? name, address)}
        onClick={() => (isEdited.value = true)}
      >
        <span>{breakable(label ?? name)}</span>
      </button>
    </h2>
  );
};
