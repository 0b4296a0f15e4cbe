/** The actions of the walks on the air, by the control API. */
import type { NobleRadio } from '../../src/ble/noble/index.js';
import type { AdapterState, Advertisement } from '../../src/ble/ports.js';
import { RETRY_MS } from '../support/bluetooth-fixture.js';
import { textIn, type Recorder } from './recorder.js';
import type { Staged } from './stage.js';

const isIn = async (radio: NobleRadio, state: AdapterState): Promise<void> => {
  while (radio.state !== state)
    await new Promise<void>((resolve) => {
      const stop = radio.onState(() => {
        stop();
        resolve();
      });
    });
};

const recovers = async ({ radio, radioClock }: Staged): Promise<void> => {
  radioClock.advance(RETRY_MS);
  await isIn(radio, 'poweredOn');
};

/** Switches an adapter off; resolves when its radio knows. */
export const turnOff = async (control: Recorder, id: string, radio: NobleRadio): Promise<void> => {
  await control.succeed('power', { parameters: { id }, body: { powered: false } });
  await isIn(radio, 'poweredOff');
};

/** Switches an adapter on; resolves when its radio knows. */
export const turnOn = async (control: Recorder, id: string, staged: Staged): Promise<void> => {
  await control.succeed('power', { parameters: { id }, body: { powered: true } });
  await recovers(staged);
};

/** Unplugs an adapter, which its radio takes again. */
export const unplug = async (control: Recorder, id: string, staged: Staged): Promise<void> => {
  await control.succeed('unplug', { parameters: { id } });
  await isIn(staged.radio, 'poweredOff');
  await recovers(staged);
};

/** There is a fault while `during` runs. */
export const withFaultOf =
  (control: Recorder) =>
  async (fault: object, during: () => Promise<void>): Promise<void> => {
    const added = await control.succeed('addFault', { body: fault });
    await during();
    await control.call('removeFault', { parameters: { id: textIn(added, 'id') ?? '' } });
  };

/** Resolves when the radio has received such advertisements of all these devices; while it listens, a scan does too. */
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
