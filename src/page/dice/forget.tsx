/** The button that makes the server forget a die. */
import { Forget as ForgetDevice } from '../common/forget.js';
import { forget } from './actions.js';
import { records } from './state.js';
import { texts } from './texts.js';

interface ForgetProps {
  readonly address: string;
  readonly name: string;
}

export const Forget = ({ address, name }: ForgetProps) => (
  <ForgetDevice
    name={name}
    loss={texts.forgotten(records.value.get(address)?.rolls ?? null)}
    run={() => forget(address)}
  />
);
