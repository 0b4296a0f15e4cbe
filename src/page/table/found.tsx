/** The dice that a scan found and that are not connected. */
import { useSignal } from '@preact/signals';
import { DiceType, type DiscoveredDevice } from '../../dice/contract.js';
import { DICE_TYPES } from '../../dice/protocol/faces.js';
import { Action } from '../action.js';
import { texts } from '../texts.js';
import { connect } from './actions.js';
import { nameOf } from './card.js';
import { newDice } from './state.js';

const Found = ({ die }: { readonly die: DiscoveredDevice }) => {
  const type = useSignal<DiceType>('d6');
  return (
    <li>
      <span>
        <strong>{nameOf(die)}</strong>{' '}
        <small>
          {die.address}
          {die.rssi === null ? '' : `, ${die.rssi} dBm`}
        </small>
      </span>
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
      <Action primary label={texts.connect} run={() => connect(die.address, type.value)} />
    </li>
  );
};

export const FoundDice = () => {
  const some = newDice.value;
  if (some === null) return null;
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">{texts.foundTitle}</h2>
      {some.length === 0 ? (
        <p>{texts.nothingFound}</p>
      ) : (
        <ul>
          {some.map((die) => (
            <Found key={die.address} die={die} />
          ))}
        </ul>
      )}
    </section>
  );
};
