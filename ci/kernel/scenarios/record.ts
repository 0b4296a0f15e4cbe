import { DIE } from '../air.js';
import type { Setup } from '../setup.js';

/** Milliseconds: programs under emulation are slow to start and to end. */
const LIMIT = 120_000;

/** Adapters that the guest has for itself: the first of a serial line, the second of the replay. */
const [RECORDED, REPLAYED] = ['hci1', 'hci2'];

/** A virtual die is recorded on an adapter of the guest, and its replay on one that the replay makes. */
export const proveRecord = async ({ guest, report, air }: Setup): Promise<void> => {
  const record = async (adapter: string, file: string): Promise<string> => {
    const command = `cd /airbench && node dist/src/cli/main.js record ${DIE} ${file} --hci user:${adapter}`;
    const { output } = await guest.succeeds(`${command} --scan-secs 2 --secs 1`, LIMIT);
    return output.replace(file, 'FILE');
  };
  await air.populate();
  await guest.succeeds(`hciconfig ${RECORDED} down`);
  let recorded = '';
  const done = await report.check(`airbench record captures a die on ${RECORDED}`, async () => {
    recorded = await record(RECORDED, '/run/die.btsnoop');
    if (!recorded.includes('FILE  characteristics 5  subscribed 2')) throw new Error(recorded);
  });
  if (!done) return;
  await report.check(
    'airbench replay --vhci of that is equal to it, recorded on the adapter that it makes',
    async () => {
      await guest.succeeds('modprobe hci_vhci');
      await guest.succeeds('serve.sh replay /run/die.btsnoop --vhci', LIMIT);
      const again = await record(REPLAYED, '/run/again.btsnoop');
      await guest.succeeds('stop.sh replay', LIMIT);
      if (again !== recorded) throw new Error(`${recorded}\nis not\n${again}`);
    },
  );
};
