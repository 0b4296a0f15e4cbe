/** The actions of the walks on the air, by the control API. */
import type { NobleRadio } from '../../src/ble/noble/index.js';
import type { AdapterState, Advertisement } from '../../src/ble/ports.js';
import { RETRY_MS } from '../support/bluetooth-fixture.js';
import { textIn, type Recorder } from './recorder.js';
import type { Staged } from './stage.js';

const waitForState = async (radio: NobleRadio, state: AdapterState): Promise<void> => {
  while (radio.state !== state)
    await new Promise<void>((resolve) => {
      const stop = radio.onState(() => {
        stop();
        resolve();
      });
    });
};

const recover = async ({ radio, radioClock }: Staged): Promise<void> => {
  radioClock.advance(RETRY_MS);
  await waitForState(radio, 'poweredOn');
};

/** Switches an adapter off; resolves when its radio reports that. */
export const turnOff = async (control: Recorder, id: string, radio: NobleRadio): Promise<void> => {
  await control.succeed('power', { parameters: { id }, body: { powered: false } });
  await waitForState(radio, 'poweredOff');
};

/** Switches an adapter on; resolves when its radio reports that. */
export const turnOn = async (control: Recorder, id: string, staged: Staged): Promise<void> => {
  await control.succeed('power', { parameters: { id }, body: { powered: true } });
  await recover(staged);
};

/** Unplugs an adapter and plugs it in again; resolves when its radio uses it. */
export const unplug = async (control: Recorder, id: string, staged: Staged): Promise<void> => {
  await control.succeed('unplug', { parameters: { id } });
  await waitForState(staged.radio, 'poweredOff');
  await recover(staged);
};

/** Adds a fault for the time of `during`. */
export const withFaultOf =
  (control: Recorder) =>
  async (fault: object, during: () => Promise<void>): Promise<void> => {
    const added = await control.succeed('addFault', { body: fault });
    await during();
    await control.call('removeFault', { parameters: { id: textIn(added, 'id') ?? '' } });
  };

/** Resolves when the radio has received fitting advertisements of all these devices. A concurrent scan receives them too. */
export const received = (
  radio: NobleRadio,
  addresses: readonly string[],
  conditions: readonly ((advertisement: Advertisement) => boolean)[],
): Promise<void> =>
  new Promise((resolve) => {
    const missing = new Map(addresses.map((address) => [address, conditions]));
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
