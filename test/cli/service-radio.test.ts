import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import { configurationFor, warnings } from '../../src/cli/service/install-service.js';
import type { RadioFlags } from '../../src/cli/service/service-radio.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';

const NONE: RadioFlags = { hci: { kind: 'default' }, bluez: undefined, proxy: [] };
const BLUEZ: RadioFlags = { ...NONE, bluez: { adapter: 'hci0' } };
const HCI: RadioFlags = { ...NONE, hci: { kind: 'user', device: 0 } };
const NO_USER = 'D-Bus does not know the user that systemd makes';

describe('The radio of a service', () => {
  const existing = async (text: string, choice: RadioFlags) => {
    const path = join(newFolder(), 'dice.yml');
    writeFileSync(path, text);
    const { advice, ...of } = right(await configurationFor('dice', path, NONE, TE.right(choice)));
    return { ...of, advice: advice?.replace(path, 'FILE') };
  };

  for (const [what, text, choice, line, isUnknown] of [
    ['BlueZ, which the configuration names', 'version: 1\nbluez: hci0\n', HCI, undefined, true],
    ['BlueZ, which a server would choose', 'version: 1\n', BLUEZ, 'bluez: hci0', true],
    ['HCI, which a server would choose', 'version: 1\n', HCI, 'hci: user:hci0', false],
  ] as const)
    it(`is ${what}: warnings are about it, and have the missing line`, async () => {
      const { advice, taken } = await existing(text, choice);
      expect(advice).to.equal(
        line &&
          `FILE names no radio: the server would take ${line} now; to keep it, write that line into the file`,
      );
      expect(warnings(undefined, taken, [], false).some((warning) => warning.includes(NO_USER))).to.equal(
        isUnknown,
      );
      expect(warnings('pi', taken, [], false)).to.deep.equal([]);
    });
});
