/** Controls that the pages share: a choice, a checkbox, the readings of a device, a dialog. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { keysOf } from '../../contract/index.js';
import { namedFor } from './texts.js';

interface SelectProps {
  readonly label: string;
  /** The object of the choice, for screen readers. */
  readonly of?: string;
  readonly value: string | undefined;
  readonly values: Iterable<string>;
  readonly choose: (value: string) => void;
  /** The label of a value; the value itself by default. */
  readonly nameOf?: (value: string) => string;
}

export const Select = ({ label, of, value, values, choose, nameOf = (name) => name }: SelectProps) => (
  <label>
    <span>{label}</span>{' '}
    <select
      value={value}
      aria-label={namedFor(label, of)}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {[...values].map((choice) => (
        <option key={choice} value={choice}>
          {nameOf(choice)}
        </option>
      ))}
    </select>
  </label>
);

interface ChoicesProps<C extends string> {
  readonly label: string;
  /** The object of the choice, for screen readers. */
  readonly of?: string;
  readonly class: string;
  readonly chosen: C;
  readonly names: Readonly<Record<C, string>>;
  readonly choose: (choice: C) => void;
}

/** Buttons of which one is pressed. */
export const Choices = <C extends string>(props: ChoicesProps<C>) => {
  const { label, of, class: name, chosen, names, choose } = props;
  return (
    <div class={name} role="group" aria-label={namedFor(label, of) ?? label}>
      {keysOf<C>(names).map((choice) => (
        <button
          key={choice}
          type="button"
          aria-label={namedFor(names[choice], of)}
          aria-pressed={choice === chosen}
          onClick={() => choose(choice)}
        >
          {names[choice]}
        </button>
      ))}
    </div>
  );
};

interface CheckboxProps {
  /** The name for screen readers, unless the label around it is enough. */
  readonly label?: string | undefined;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly change: (checked: boolean) => void;
}

export const Checkbox = ({ label, checked, disabled = false, change }: CheckboxProps) => (
  <input
    type="checkbox"
    aria-label={label}
    checked={checked}
    disabled={disabled}
    onChange={({ currentTarget }) => change(currentTarget.checked)}
  />
);

/** The readings of a device, each with its label. */
export const Readings = ({
  of,
  class: name,
}: {
  readonly of: Iterable<readonly [string, string]>;
  readonly class?: string;
}) => (
  <dl class={name}>
    {[...of].map(([label, value], index) => (
      <div key={index}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

interface DialogProps {
  readonly title: ComponentChildren;
  readonly class?: string;
  /** Called when a button or the keyboard closes the dialog. */
  readonly closed: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open while it is mounted; the focus then returns to its previous element. */
export const Dialog = ({ title, class: name, closed, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} class={name} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};
