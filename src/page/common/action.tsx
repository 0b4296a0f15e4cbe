/** A button that shows its progress and its failure. */
import { useSignal } from '@preact/signals';
import { detached } from '../../async/defects.js';
import type { Failure } from './api.js';

export const Failed = ({ message }: { readonly message: string | undefined }) =>
  message === undefined ? null : (
    <span class="failure" role="alert">
      {message}
    </span>
  );

interface ActionProps {
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of?: string;
  readonly busy?: string;
  readonly title?: string;
  readonly primary?: boolean;
  /** A disabled action keeps its focus. */
  readonly disabled?: boolean;
  /** Null: the action succeeded. */
  readonly run: () => Promise<Failure | null>;
}

export const Action = ({
  label,
  of,
  busy = `${label}…`,
  title,
  primary = false,
  disabled = false,
  run,
}: ActionProps) => {
  const running = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const begin = async (): Promise<void> => {
    if (running.value || disabled) return;
    running.value = true;
    failure.value = await run();
    running.value = false;
  };
  return (
    <span class="action">
      <button
        type="button"
        class={primary ? 'primary' : ''}
        title={title}
        aria-label={of === undefined ? undefined : `${label} ${of}`}
        aria-disabled={disabled}
        aria-busy={running.value}
        onClick={() => detached(begin())}
      >
        {running.value ? busy : label}
      </button>
      <Failed message={failure.value?.error} />
    </span>
  );
};
