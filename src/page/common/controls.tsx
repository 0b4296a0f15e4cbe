/** Parts that the pages share: a choice, a checkbox, the readings of a device, a dialog. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface SelectProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: Iterable<string>;
  readonly choose: (value: string) => void;
  /** The text of a value for people; the value itself if left out. */
  readonly nameOf?: (value: string) => string;
}

export const Select = ({ label, value, values, choose, nameOf = (one) => one }: SelectProps) => (
  <label>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {[...values].map((one) => (
        <option key={one} value={one}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  </label>
);

interface CheckboxProps {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly change: (checked: boolean) => void;
}

export const Checkbox = ({ checked, disabled = false, change }: CheckboxProps) => (
  <input
    type="checkbox"
    checked={checked}
    disabled={disabled}
    onChange={({ currentTarget }) => change(currentTarget.checked)}
  />
);

/** The known facts of a device, each with its name. */
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
  /** Called when it closes, by a button or by the keyboard. */
  readonly closed: () => void;
  readonly children: ComponentChildren;
}

/** A question in a modal dialog, which is open while it is mounted; then the focus returns to where it was. */
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
