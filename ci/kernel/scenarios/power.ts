import type { Guest } from '../guest.js';
import type { Setup } from '../setup.js';

/** The kernel takes both controllers and powers them on. */
export const provePower = async ({ guest, report }: Setup): Promise<void> => {
  for (const [index, line] of ['ttyS1', 'ttyS2'].entries()) {
    await report.check(`the kernel takes the controller at ${line} as hci${index}`, async () => {
      await guest.succeeds(`attach.sh hci${index} /dev/${line}`);
    });
    await report.check(`btmgmt powers hci${index} on`, () => powerOn(guest, index));
  }
};

/** Powers an adapter on from any state, and makes sure that it is. */
export const powerOn = async (guest: Guest, index: number): Promise<void> => {
  await guest.succeeds(`timeout 10 btmgmt --index ${index} power on`);
  const { output } = await guest.succeeds(`hciconfig hci${index}`);
  if (!output.includes('UP RUNNING')) throw new Error(`hci${index} is not up:\n${output}`);
};
