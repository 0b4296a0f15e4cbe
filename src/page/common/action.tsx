/** A button that shows its progress and its failure. */
import { useSignal } from '@preact/signals';
import { detached } from '../../async/defects.js';
import type { Failure } from './api.js';
import { namedFor, texts } from './texts.js';

interface FailedProps {
  readonly message: string | undefined;
  readonly code?: string | undefined;
}

/** A failure, with advice for its code. */
export const Failed = ({ message, code = '' }: FailedProps) => {
  const advice = texts.advice[code];
  return message === undefined ? null : (
    <span class="failure" role="alert">
      {advice === undefined ? message : `${message}. ${advice}`}
    </span>
  );
};

interface ActionProps {
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of?: string;
  readonly busy?: string;
  readonly title?: string;
  readonly primary?: boolean;
  /** Whether the action is that of its form: Enter in a field runs it, and every field must be valid. */
  readonly submits?: boolean;
  /** A disabled action keeps its focus. */
  readonly disabled?: boolean;
  /** Whether people may give up the action, which aborts its requests. */
  readonly mayEnd?: boolean;
  /** Null: the action succeeded. */
  readonly run: (signal: AbortSignal) => Promise<Failure | null>;
}

export const Action = ({
  label,
  of,
  busy = `${label}…`,
  title,
  primary = false,
  submits = false,
  disabled = false,
  mayEnd = false,
  run,
}: ActionProps) => {
  const aborter = useSignal<AbortController | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isRunning = aborter.value !== null;
  const begin = async (): Promise<void> => {
    if (isRunning || disabled) return;
    const current = (aborter.value = new AbortController());
    const outcome = await run(current.signal);
    failure.value = current.signal.aborted ? null : outcome;
    aborter.value = null;
  };
  return (
    <span class="action">
      <button
        type={submits ? 'submit' : 'button'}
        class={primary ? 'primary' : ''}
        title={title}
        aria-label={namedFor(label, of)}
        aria-disabled={disabled}
        aria-busy={isRunning}
        onClick={(event) => {
          event.preventDefault();
          if (!submits || event.currentTarget.form?.reportValidity() !== false) detached(begin());
        }}
      >
        {isRunning ? busy : label}
      </button>
      {isRunning && mayEnd ? (
        <button type="button" aria-label={namedFor(texts.giveUp, of)} onClick={() => aborter.value?.abort()}>
          {texts.giveUp}
        </button>
      ) : null}
      <Failed message={failure.value?.error} code={failure.value?.code} />
    </span>
  );
};
