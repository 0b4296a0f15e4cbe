/** One die: its state, its actions and its histogram. */
import type { DetailedStatus } from '../../dice/contract.js';
import { Action } from '../common/action.js';
import { Checkbox, Readings } from '../common/controls.js';
import { texts as shared } from '../common/texts.js';
import { disconnect, readBattery, watchTaps } from './actions.js';
import { Calibration } from './calibration.js';
import { Histogram } from './histogram.js';
import { Lights } from './lights.js';
import { excluded, ledsOf, put, without } from './state.js';
import { Stage } from './stage.js';
import { texts } from './texts.js';

export const nameOf = ({ name, address }: Pick<DetailedStatus, 'name' | 'address'>): string =>
  name === null || name === '' ? address : name;

const madeAs = ({ maker, color }: DetailedStatus): string =>
  color === null ? maker : `${maker}, ${texts.body(color)}`;

export const Card = ({ die }: { readonly die: DetailedStatus }) => {
  const { session_id: id, dice_type, connected, battery_level, charging, rssi, capabilities, taps } = die;
  const areOn = taps !== null && taps.single && taps.double;
  const areOff = taps !== null && !taps.single && !taps.double;
  const battery = battery_level === null ? shared.unknown : texts.level(battery_level);
  return (
    <article class={`card${connected ? '' : ' away'}`} aria-labelledby={`name-${id}`}>
      <header>
        <div>
          <h2 id={`name-${id}`} title={die.address}>
            {nameOf(die)}
          </h2>
          <small>{madeAs(die)}</small>
        </div>
        <span class="chip">{dice_type}</span>
      </header>
      <Stage die={die} />
      {connected ? null : (
        <p class="notice" role="status">
          {texts.away}
        </p>
      )}
      <Readings
        of={[
          [shared.battery, `${battery}${charging === true ? `, ${texts.charging}` : ''}`],
          [shared.signal, shared.dbm(rssi)],
        ]}
      />
      {ledsOf(die).length === 0 ? null : <Lights die={die} />}
      <label class="chosen">
        <Checkbox
          checked={!excluded.value.has(id)}
          change={(counts) =>
            (excluded.value = counts ? without(excluded.value, id) : put(excluded.value, id, true))
          }
        />
        {texts.inSums}
      </label>
      <Histogram session={id} type={dice_type} />
      <details>
        <summary>{texts.more}</summary>
        <div class="actions">
          {capabilities.includes('calibrate') ? <Calibration die={die} /> : null}
          <Action label={texts.readBattery} disabled={!connected} run={() => readBattery(id)} />
          {capabilities.includes('taps') ? (
            <>
              <Action label={texts.tapsOn} disabled={!connected || areOn} run={() => watchTaps(id, true)} />
              <Action
                label={texts.tapsOff}
                disabled={!connected || areOff}
                run={() => watchTaps(id, false)}
              />
            </>
          ) : null}
          <Action label={shared.disconnect} run={() => disconnect(id)} />
        </div>
      </details>
    </article>
  );
};
