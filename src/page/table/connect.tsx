/** Connects a die that was found, in the shell that it is in. */
import { useSignal } from '@preact/signals';
import { DiceType } from '../../dice/contract.js';
import { DICE_TYPES } from '../../dice/protocol/faces.js';
import { Action } from '../action.js';
import { texts as shared } from '../texts.js';
import { connect } from './actions.js';
import { texts } from './texts.js';

export const Connect = ({ address }: { readonly address: string }) => {
  const type = useSignal<DiceType>('d6');
  return (
    <>
      <label>
        {texts.shell}{' '}
        <select
          value={type.value}
          onChange={({ currentTarget: { value } }) => {
            if (DiceType.is(value)) type.value = value;
          }}
        >
          {DICE_TYPES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Action primary label={shared.connect} run={() => connect(address, type.value)} />
    </>
  );
};
