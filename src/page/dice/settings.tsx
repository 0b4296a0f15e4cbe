/** The settings of a die, behind one button. */
import { useSignal, type Signal } from '@preact/signals';
import type { DetailedStatus } from '../../dice/contract.js';
import { DICE_TYPES } from '../../protocols/dice-values.js';
import { Action, Failed } from '../common/action.js';
import type { Failure } from '../common/api.js';
import { Readings, Select } from '../common/controls.js';
import { Disconnect } from '../common/disconnect.js';
import { texts as shared } from '../common/texts.js';
import { Toggle } from '../common/toggle.js';
import { detached } from '../../async/defects.js';
import { disconnect, readBattery, setDie, watchTaps } from './actions.js';
import { Calibration } from './calibration.js';
import { Forget } from './forget.js';
import { Lights } from './lights.js';
import { ledsOf, nameOf, records } from './state.js';
import { texts } from './texts.js';
import { madeAs } from './parts.js';

interface OfDie {
  readonly die: DetailedStatus;
}

interface ButtonProps extends OfDie {
  readonly isOpen: Signal<boolean>;
}

export const SettingsButton = ({ die, isOpen }: ButtonProps) => (
  <button
    type="button"
    class="icon"
    aria-expanded={isOpen.value}
    aria-label={texts.settingsOf(nameOf(die))}
    title={texts.settings}
    onClick={() => (isOpen.value = !isOpen.value)}
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M4 7H20M4 12H20M4 17H20" />
      <circle cx="9" cy="7" r="2.5" />
      <circle cx="16" cy="12" r="2.5" />
      <circle cx="7" cy="17" r="2.5" />
    </svg>
  </button>
);

const Taps = ({ die }: OfDie) => (
  <fieldset>
    <legend>
      {texts.tapsTitle}
      {die.taps === null ? ` ${texts.notSet}` : ''}
    </legend>
    {(['single', 'double'] as const).map((which) => (
      <Toggle
        key={which}
        label={texts.tapsOf[which]}
        of={nameOf(die)}
        checked={die.taps?.[which] === true}
        disabled={!die.connected}
        set={(are) => watchTaps(die, which, are)}
      />
    ))}
  </fieldset>
);

/** Dice that can be calibrated report no face: the server needs to know their shell. */
const Shell = ({ die }: OfDie) => {
  const { address, dice_type } = die;
  const failure = useSignal<Failure | null>(null);
  const choose = async (shell: string): Promise<void> => {
    const chosen = DICE_TYPES.find((type) => type === shell);
    if (chosen !== undefined) failure.value = await setDie(address, { dice_type: chosen });
  };
  return (
    <>
      <Select
        label={texts.shell}
        of={nameOf(die)}
        value={dice_type}
        values={DICE_TYPES}
        choose={(shell) => detached(choose(shell))}
      />
      <Failed message={failure.value?.error} code={failure.value?.code} />
    </>
  );
};

export const Settings = ({ die }: OfDie) => {
  const { address, connected, capabilities, rssi, battery_level } = die;
  const isKept = records.value.get(address)?.keep_connected === true;
  return (
    <div class="settings" role="group" aria-label={texts.settingsOf(nameOf(die))}>
      <Readings
        of={[
          [texts.address, address],
          [texts.made, madeAs(die)],
          [shared.battery, battery_level === null ? shared.unknown : texts.level(battery_level)],
          [shared.signal, shared.dbm(rssi)],
        ]}
      />
      {ledsOf(die).length === 0 ? null : <Lights die={die} />}
      {capabilities.includes('taps') ? <Taps die={die} /> : null}
      {capabilities.includes('calibrate') ? <Shell die={die} /> : null}
      <Toggle
        label={shared.keepConnected}
        of={nameOf(die)}
        checked={isKept}
        set={(keep_connected) => setDie(address, { keep_connected })}
      />
      <div class="actions">
        {capabilities.includes('calibrate') ? <Calibration die={die} /> : null}
        <Action
          label={texts.readBattery}
          of={nameOf(die)}
          disabled={!connected}
          run={() => readBattery(die)}
        />
        <Disconnect name={nameOf(die)} run={() => disconnect(die)} />
        <Forget address={address} name={nameOf(die)} />
      </div>
    </div>
  );
};
