/** The radios of a server: their states, their slots, and the signal of each device at each radio. */
import { signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { radioEndpoints, radioTitle, type RadioReport } from '../../contract/contract.js';
import { call } from './api.js';
import { pages } from './server.js';
import { texts } from './texts.js';

const radios = signal<readonly RadioReport[]>([]);

/** Reads the radios; a failure keeps the previous list. */
export const readRadios = async (signal: AbortSignal): Promise<void> => {
  const read = await call(radioEndpoints.radios, {}, signal);
  if (E.isRight(read)) radios.value = read.right;
};

const stateOf = ({ up, problem, slots }: RadioReport): string => {
  if (problem !== null) return problem;
  if (!up) return texts.radioDown;
  return slots === null ? texts.radioUp : texts.slotsFree(slots.free, slots.limit);
};

const classOf = (all: readonly RadioReport[]): string =>
  all.every(({ problem }) => problem === null) ? 'up' : 'down';

const Devices = ({ devices }: Pick<RadioReport, 'devices'>) =>
  devices.length === 0 ? null : (
    <ul>
      {devices.map(({ address, rssi, linked }) => (
        <li key={address}>
          {address} {linked ? texts.linkedHere : ''} {texts.dbm(rssi)}
        </li>
      ))}
    </ul>
  );

const Sole = ({ radio }: { readonly radio: RadioReport }) => {
  const text = texts.radio(radioTitle(radio.name), stateOf(radio));
  return radio.devices.length === 0 ? (
    <p class={`radios ${classOf([radio])}`}>{text}</p>
  ) : (
    <details class="radios">
      <summary class={classOf([radio])}>{text}</summary>
      <Devices devices={radio.devices} />
    </details>
  );
};

const Several = ({ all }: { readonly all: readonly RadioReport[] }) => (
  <details class="radios">
    <summary class={classOf(all)}>{texts.radios(all.filter(({ up }) => up).length, all.length)}</summary>
    <ul>
      {all.map((radio) => (
        <li key={radio.name} class={classOf([radio])}>
          <strong>{radioTitle(radio.name)}</strong> {stateOf(radio)}
          <Devices devices={radio.devices} />
        </li>
      ))}
    </ul>
  </details>
);

export const Radios = () => {
  const [first, ...others] = radios.value;
  if (first === undefined) return null;
  // The radio of simulated devices is simulated too, as the page says.
  if (others.length === 0 && first.problem === null && pages.value !== null) return null;
  return others.length === 0 ? <Sole radio={first} /> : <Several all={radios.value} />;
};
