/** The button that ends the session of a device. */
import { Action } from './action.js';
import type { Outcome } from './api.js';
import { inHomeAssistant } from './server.js';
import { texts } from './texts.js';

interface DisconnectProps {
  readonly name: string;
  readonly disabled?: boolean;
  readonly run: () => Outcome;
}

export const Disconnect = ({ name, disabled = false, run }: DisconnectProps) => (
  <>
    <Action label={texts.disconnect} of={name} disabled={disabled} run={run} />
    {inHomeAssistant.value ? <small>{texts.leavesHomeAssistant}</small> : null}
  </>
);
