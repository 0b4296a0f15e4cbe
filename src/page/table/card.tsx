/** One die: how it is, what can be done with it, how it rolled. */
import { useComputed, useSignal } from '@preact/signals';
import { facesOf } from '../../dice/protocol/faces.js';
import type { Status } from '../../dice/contract.js';
import { Action } from '../action.js';
import { fairness } from '../statistics.js';
import { texts } from '../texts.js';
import { calibrate, disconnect, leds, light, pulse, readBattery, rolls } from './dice.js';
import { Shape } from './shape.js';

const Histogram = ({ die }: { readonly die: Status }) => {
  const counts = useComputed(() => {
    const own = rolls.value.filter(({ session }) => session === die.session_id);
    return facesOf(die.dice_type).map((face) => ({
      face,
      count: own.filter((roll) => roll.face === face).length,
    }));
  }).value;
  const total = counts.reduce((all, { count }) => all + count, 0);
  if (total === 0) return null;
  const most = Math.max(...counts.map(({ count }) => count));
  const { chiSquare, p, isMeaningful } = fairness(counts.map(({ count }) => count));
  return (
    <figure class="histogram">
      <figcaption>
        {texts.rolled(total)} · {isMeaningful ? texts.fair(chiSquare, p) : texts.tooFew}
      </figcaption>
      <svg
        viewBox={`0 0 ${counts.length * 10} 46`}
        role="img"
        aria-label={counts.map(({ face, count }) => `${face}: ${count}`).join(', ')}
      >
        {counts.map(({ face, count }, index) => (
          <g key={face}>
            <rect
              x={index * 10 + 1}
              width="8"
              y={36 - (count / most) * 34}
              height={(count / most) * 34}
              rx="1"
            />
            <text x={index * 10 + 5} y="44" text-anchor="middle">
              {face}
            </text>
          </g>
        ))}
        <line
          x1="0"
          x2={counts.length * 10}
          y1={36 - (total / counts.length / most) * 34}
          y2={36 - (total / counts.length / most) * 34}
        />
      </svg>
    </figure>
  );
};

export const nameOf = ({ name, address }: Pick<Status, 'name' | 'address'>): string => name ?? address;

export const Card = ({ die }: { readonly die: Status }) => {
  const { session_id: id, dice_type, color, face, rolling, connected, battery_level, charging, rssi } = die;
  const colour = useSignal('#2d5bd7');
  const lit = leds.value.get(id)?.[0];
  return (
    <article class={`card${connected ? '' : ' away'}`} aria-labelledby={`name-${id}`}>
      <header>
        <h3 id={`name-${id}`}>{nameOf(die)}</h3>
        <span class="chip">{dice_type}</span>
      </header>
      <div class="stage">
        {lit === undefined ? null : (
          <svg class="glow" viewBox="0 0 100 100" aria-hidden="true">
            <circle cx="50" cy="50" r="50" fill={lit} />
          </svg>
        )}
        <Shape
          type={dice_type}
          colour={color ?? 'plain'}
          face={face}
          rolling={rolling}
          label={rolling ? texts.rolling : String(face ?? texts.unknown)}
        />
      </div>
      {connected ? null : <p class="notice">{texts.reconnecting}</p>}
      <dl>
        <div>
          <dt>{texts.battery}</dt>
          <dd>
            {battery_level === null ? texts.unknown : `${battery_level} %`}
            {charging === true ? `, ${texts.charging}` : ''}
          </dd>
        </div>
        <div>
          <dt>{texts.signal}</dt>
          <dd>{rssi === null ? texts.unknown : `${rssi} dBm`}</dd>
        </div>
      </dl>
      <div class="actions">
        <label class="colour">
          <span>{texts.colour}</span>
          <input
            type="color"
            value={colour.value}
            disabled={!connected}
            onChange={(event) => {
              colour.value = event.currentTarget.value;
              void light(id, colour.value);
            }}
          />
        </label>
        <Action label={texts.pulse} disabled={!connected} run={() => pulse(id, colour.value)} />
        <Action label={texts.battery} disabled={!connected} run={() => readBattery(id)} />
        <Action
          label={texts.calibrate}
          title={texts.calibrateHint}
          disabled={!connected}
          run={() => calibrate(id)}
        />
        <Action label={texts.disconnect} run={() => disconnect(id)} />
      </div>
      <Histogram die={die} />
    </article>
  );
};
