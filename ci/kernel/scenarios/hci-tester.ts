import type { Setup } from '../setup.js';

/** Cases of BlueZ' hci-tester that concern an LE controller. */
const LE = [
  'Reset',
  'Read Local Version Information',
  'Read Local Supported Commands',
  'Read Local Supported Features',
  'Read Buffer Size',
  'Read BD_ADDR',
  'LE Read Accept List Size',
  'LE Clear Accept List',
  'LE Encrypt',
  'LE Rand',
  'LE Read Local PK',
  'LE Generate DHKey',
  'TP/DSU/BV-02-C Reset in Advertising State',
];

/** Cases of BR/EDR, and the tester's output when the response to their first command is 0x01, Unknown HCI Command. */
const BR_EDR = {
  'Read Local Extended Features': 'Failed to get HCI extended features (0x01)',
  'Read Country Code': 'HCI command failed (0x01)',
  'Read Local Supported Codecs': 'HCI command failed (0x01)',
  'Inquiry (LIAC)': 'HCI inquiry command failed (0x01)',
  'Create Connection': 'Failed to set HCI scan enable (0x01)',
};

const LIMIT = 60_000;

/** BlueZ' tester of controllers, which takes both adapters for itself: one is tested, the other is its peer. */
export const proveHciTester = async ({ guest, report }: Setup): Promise<void> => {
  let output = '';
  const ran = await report.check('hci-tester takes both controllers and runs to its end', async () => {
    for (const index of [0, 1]) await guest.succeeds(`timeout 10 btmgmt --index ${index} power off`);
    // It ends with 1 when a case failed, such as those of BR/EDR.
    output = (await guest.run('hci-tester', LIMIT)).output;
    if (!output.includes('Test Summary')) throw new Error(`it printed no summary:\n${output}`);
  });
  if (!ran) return;
  for (const name of LE) {
    await report.check(`hci-tester: ${name}`, () => {
      if (!output.includes(`${name} - test passed`)) throw new Error(caseOf(output, name));
    });
  }
  for (const [name, refusal] of Object.entries(BR_EDR)) {
    await report.check(`hci-tester: ${name}, of BR/EDR, is answered 0x01`, () => {
      if (!caseOf(output, name).includes(refusal)) throw new Error(caseOf(output, name));
    });
  }
  await report.check('hci-tester has no other case', () => {
    const names = [...output.matchAll(/^(.*) - init$/gm)].map(([, name = '']) => name);
    const others = names.filter((name) => !LE.includes(name) && !(name in BR_EDR));
    if (others.length > 0) throw new Error(others.join(', '));
  });
};

/** Its output for one case. */
const caseOf = (output: string, name: string): string =>
  output.slice(output.indexOf(`${name} - init`), output.indexOf(`${name} - done`));
