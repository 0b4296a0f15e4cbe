/** The button that makes the server forget a device, after a question. */
import { useSignal } from '@preact/signals';
import { Action } from './action.js';
import type { Outcome } from './api.js';
import { Dialog } from './controls.js';
import { texts } from './texts.js';

interface ForgetProps {
  readonly name: string;
  /** The loss, in a sentence. */
  readonly loss: string;
  readonly run: () => Outcome;
}

export const Forget = ({ name, loss, run }: ForgetProps) => {
  const isAsked = useSignal(false);
  const close = (): void => {
    isAsked.value = false;
  };
  return (
    <>
      <button type="button" aria-label={texts.forgetOf(name)} onClick={() => (isAsked.value = true)}>
        {texts.forget}
      </button>
      {isAsked.value ? (
        <Dialog title={texts.forgetTitle(name)} closed={close}>
          <p>{loss}</p>
          <div class="actions">
            <Action
              primary
              label={texts.forget}
              run={async () => {
                const failure = await run();
                if (failure === null) close();
                return failure;
              }}
            />
            <button type="button" onClick={close}>
              {texts.cancel}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
};
