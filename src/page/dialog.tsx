/** Questions before something is done, in a dialog. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: ComponentChildren;
  readonly class?: string;
  /** When it is closed by whatever means. */
  readonly closed: () => void;
  readonly children: ComponentChildren;
}

/** Open for as long as it is there; the focus returns to where it was. */
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
