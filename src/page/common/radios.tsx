/** The radios of a server: their states, their slots, and the signal of each device at each radio. */
import { signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { radioEndpoints, radioTitle, type RadioReport } from '../../contract/contract.js';
import { call } from './api.js';
import { texts } from './texts.js';

const radios = signal<readonly RadioReport[]>([]);

/** Reads the radios; a failure keeps the previous list. */
export const readRadios = async (): Promise<void> => {
  const read = await call(radioEndpoints.radios, {});
  if (E.isRight(read)) radios.value = read.right;
};

const stateOf = ({ up, problem, slots }: RadioReport): string => {
  if (problem !== null) return problem;
  if (!up) return texts.radioDown;
  return slots === null ? texts.radioUp : texts.slotsFree(slots.free, slots.limit);
};

const summaryOf = (all: readonly RadioReport[]): string => {
  const [first, ...others] = all;
  return first === undefined || others.length > 0
    ? texts.radios(all.filter(({ problem }) => problem === null).length, all.length)
    : texts.radio(radioTitle(first.name), first.problem);
};

export const Radios = () =>
  radios.value.length === 0 ? null : (
    <details class="radios">
      <summary class={radios.value.every(({ problem }) => problem === null) ? 'up' : 'down'}>
        {summaryOf(radios.value)}
      </summary>
      <ul>
        {radios.value.map((radio) => (
          <li key={radio.name} class={radio.problem === null ? 'up' : 'down'}>
            <strong>{radioTitle(radio.name)}</strong> {stateOf(radio)}
            {radio.devices.length === 0 ? null : (
              <ul>
                {radio.devices.map(({ address, rssi, linked }) => (
                  <li key={address}>
                    {address} {linked ? texts.linkedHere : ''} {texts.dbm(rssi)}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
