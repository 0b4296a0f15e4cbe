/** A discovered die: its picture, its advertised details, and the button that connects it. */
import { DiceType, type DiscoveredDevice } from '../../dice/contract.js';
import { DICE_TYPES } from '../../protocols/dice-values.js';
import { Action } from '../common/action.js';
import { Select } from '../common/controls.js';
import { texts as shared } from '../common/texts.js';
import { written } from '../common/outlines.js';
import { connect, search, shellOfFound } from './actions.js';
import { Roll } from './parts.js';
import { Shape } from './shape.js';
import { canRoll, nameOf, shells } from './state.js';
import { texts } from './texts.js';

interface FoundDie {
  readonly die: DiscoveredDevice;
}

const faceOf = (die: DiscoveredDevice): string =>
  typeof die.face === 'number' ? written(shellOfFound(die), die.face) : '';

export const Picture = ({ die }: FoundDie) => (
  <Shape type={shellOfFound(die)} color={die.color ?? null} shown={faceOf(die)} tumbles={false} />
);

export const detailsOf = (die: DiscoveredDevice): readonly string[] => {
  const { maker = '', color, battery_level, charging } = die;
  const face = faceOf(die);
  return [
    maker,
    typeof color === 'string' ? texts.body(color) : '',
    typeof battery_level === 'number' ? texts.batteryAt(battery_level) : '',
    charging === true ? texts.charging : '',
    face === '' ? '' : texts.up(face),
  ].filter((detail) => detail !== '');
};

const ChooseShell = ({ die }: FoundDie) => (
  <Select
    label={texts.shell}
    of={nameOf(die)}
    value={shellOfFound(die)}
    values={DICE_TYPES}
    choose={(shell) => {
      if (DiceType.is(shell)) shells.value = { ...shells.value, [die.address]: shell };
    }}
  />
);

export const Connect = ({ die }: FoundDie) => (
  <>
    {typeof die.dice_type === 'string' ? (
      <span class="chip">{die.dice_type}</span>
    ) : (
      <ChooseShell die={die} />
    )}
    <Roll die={die} primary={search.found.value.length === 1} />
    <Action
      mayEnd
      primary={search.found.value.length === 1 && !canRoll.value}
      label={shared.connect}
      of={nameOf(die)}
      run={(signal) => connect(die, signal)}
    />
  </>
);
