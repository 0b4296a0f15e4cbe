import type { Setup } from '../setup.js';

/** The kernel takes both controllers and powers them on. */
export const provePower = async ({ guest, report }: Setup): Promise<void> => {
  for (const [index, line] of ['ttyS1', 'ttyS2'].entries()) {
    const adapter = `hci${index}`;
    await report.prove(`the kernel takes the controller at ${line} as ${adapter}`, async () => {
      await guest.succeeds(`attach.sh ${adapter} /dev/${line}`);
    });
    await report.prove(`btmgmt powers ${adapter} on`, async () => {
      await guest.succeeds(`timeout 10 btmgmt --index ${index} power on`);
      const { output } = await guest.succeeds(`hciconfig ${adapter}`);
      if (!output.includes('UP RUNNING')) throw new Error(`${adapter} is not up: ${output}`);
    });
  }
};
