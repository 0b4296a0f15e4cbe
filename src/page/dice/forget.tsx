/** The button that makes the server forget a die, after a question. */
import { useSignal } from '@preact/signals';
import { Action } from '../common/action.js';
import { Dialog } from '../common/controls.js';
import { forget } from './actions.js';
import { records } from './state.js';
import { texts } from './texts.js';

interface ForgetProps {
  readonly address: string;
  readonly name: string;
}

export const Forget = ({ address, name }: ForgetProps) => {
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
          <p>{texts.forgotten(records.value.get(address)?.rolls ?? 0)}</p>
          <div class="actions">
            <Action
              primary
              label={texts.forget}
              run={async () => {
                const failure = await forget(address);
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
