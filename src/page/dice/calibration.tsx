/** Calibrating a die, step by step. */
import { useSignal } from '@preact/signals';
import type { DetailedStatus } from '../../dice/contract.js';
import { Action } from '../common/action.js';
import { Dialog } from '../common/controls.js';
import { texts as shared } from '../common/texts.js';
import { calibrate } from './actions.js';
import { written } from '../common/outlines.js';
import { nameOf } from './state.js';
import { texts } from './texts.js';

export const Calibration = ({ die }: { readonly die: DetailedStatus }) => {
  const { dice_type, face, connected } = die;
  const isOpen = useSignal(false);
  const isDone = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  const run = async () => {
    const failure = await calibrate(die);
    isDone.value = failure === null;
    return failure;
  };
  return (
    <>
      <button
        type="button"
        aria-label={texts.calibrateTitle(nameOf(die))}
        disabled={!connected}
        onClick={() => {
          isDone.value = false;
          isOpen.value = true;
        }}
      >
        {texts.calibrate}
      </button>
      {isOpen.value ? (
        <Dialog title={texts.calibrateTitle(nameOf(die))} closed={close}>
          {isDone.value ? (
            <p role="status">{texts.calibrated(face === null ? shared.unknown : written(dice_type, face))}</p>
          ) : (
            <ol class="steps">
              {texts.calibrateSteps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          )}
          <div class="actions">
            {isDone.value ? null : (
              <Action
                primary
                label={texts.calibrateNow}
                busy={texts.calibrating}
                disabled={!connected}
                run={run}
              />
            )}
            <button type="button" onClick={close}>
              {isDone.value ? texts.done : shared.cancel}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
};
