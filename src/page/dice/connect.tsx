/** Connects a die that was found, in the shell that it is in. */
import { DiceType } from '../../dice/contract.js';
import { DICE_TYPES } from '../../dice/port/values.js';
import { Action } from '../action.js';
import { texts as shared } from '../texts.js';
import { chosenShell, connect, search } from './actions.js';
import { put, shells } from './state.js';
import { texts } from './texts.js';

export const Connect = ({ address }: { readonly address: string }) => (
  <>
    <label>
      {texts.shell}{' '}
      <select
        value={chosenShell(address)}
        onChange={({ currentTarget: { value } }) => {
          if (DiceType.is(value)) shells.value = put(shells.value, address, value);
        }}
      >
        {DICE_TYPES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
    <Action primary={search.found.value.length === 1} label={shared.connect} run={() => connect(address)} />
  </>
);
