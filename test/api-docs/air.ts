/** The actions of the walks on the air, by the control API. */
import type { NobleRadio } from '../../src/ble/noble/index.js';
import type { AdapterState, Advertisement } from '../../src/ble/ports.js';
import { RETRY_MS } from '../support/bluetooth-fixture.js';
import { textIn, type Recorder } from './recorder.js';
import type { Staged } from './stage.js';

const isIn = (radio: NobleRadio, state: AdapterState): Promise<void> =>
  new Promise((resolve) => {
    let stop = (): void => undefined;
    const look = (): void => {
      if (radio.state !== state) return;
      stop();
      resolve();
    };
    stop = radio.onState(look);
    look();
  });

/** Switches an adapter off; resolves when its radio knows. */
export const turnOff = async (control: Recorder, id: string, radio: NobleRadio): Promise<void> => {
  await control.succeed('power', { parameters: { id }, body: { powered: false } });
  await isIn(radio, 'poweredOff');
};

/** The same the other way round. */
export const turnOn = async (
  control: Recorder,
  id: string,
  { radio, radioClock }: Pick<Staged, 'radio' | 'radioClock'>,
): Promise<void> => {
  await control.succeed('power', { parameters: { id }, body: { powered: true } });
  radioClock.advance(RETRY_MS);
  await isIn(radio, 'poweredOn');
};

/** Unplugs an adapter, which its radio takes again. */
export const unplug = async (
  control: Recorder,
  id: string,
  { radio, radioClock }: Pick<Staged, 'radio' | 'radioClock'>,
): Promise<void> => {
  await control.succeed('unplug', { parameters: { id } });
  await isIn(radio, 'poweredOff');
  radioClock.advance(RETRY_MS);
  await isIn(radio, 'poweredOn');
};

/** There is a fault while `during` runs. */
export const withFaultOf =
  (control: Recorder) =>
  async (fault: object, during: () => Promise<void>): Promise<void> => {
    const added = await control.succeed('addFault', { body: fault });
    await during();
    await control.call('removeFault', { parameters: { id: textIn(added, 'id') ?? '' } });
  };

/** Resolves when the radio has received all of what these devices advertise; while it listens, a scan does too. */
export const received = (
  radio: NobleRadio,
  addresses: readonly string[],
  what: readonly ((advertisement: Advertisement) => boolean)[],
): Promise<void> =>
  new Promise((resolve) => {
    const missing = new Map(addresses.map((address) => [address, what]));
    const stop = radio.listen((advertisement) => {
      const { address } = advertisement;
      const left = (missing.get(address) ?? []).filter((fits) => !fits(advertisement));
      if (left.length > 0) missing.set(address, left);
      else missing.delete(address);
      if (missing.size > 0) return;
      stop();
      resolve();
    });
  });

export const aName = ({ name }: Advertisement): boolean => name !== null;
