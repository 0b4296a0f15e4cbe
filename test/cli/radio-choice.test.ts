import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import type { Part } from '../../src/ble/combined-radio.js';
import { chooseRadio, type Ways } from '../../src/cli/servers/radio-choice.js';
import { left, right } from '../support/either.js';
import { FakeRadio } from '../support/fake-radio.js';

const part = (name: string): Part => ({ name, radio: new FakeRadio() });

/** The choice on a machine with these adapters, and the warnings. */
const choose = async (
  adapters: readonly ('up' | 'down')[],
  { may = true, runs = true, ...ways }: { may?: boolean; runs?: boolean } & Partial<Ways> = {},
) => {
  const warnings: string[] = [];
  const choice = await chooseRadio({
    listAdapters: () => adapters.map((state, device) => ({ device, up: state === 'up' })),
    take: ({ device }) =>
      may ? TE.right(part(`user:hci${device}`)) : TE.left(`this user may not take hci${device}`),
    bluez: runs ? TE.right(part('bluez:hci0')) : TE.left('bluetoothd is not running'),
    mayShare: () => may,
    warn: (message) => warnings.push(message),
    ...ways,
  })();
  return { choice, warnings };
};

describe('The radio of a server without a flag for it', () => {
  for (const [title, adapters, options, name] of [
    ['is the first adapter that is down', ['up', 'down', 'down'], {}, 'user:hci1'],
    ['is BlueZ if all adapters are up', ['up'], {}, 'bluez:hci0'],
    ['is BlueZ if this user may take no adapter', ['down'], { may: false }, 'bluez:hci0'],
    [
      'is BlueZ if the adapters cannot be listed',
      [],
      {
        listAdapters: () => {
          throw new Error("Cannot find module 'bluetooth_hci_socket'");
        },
      },
      'bluez:hci0',
    ],
  ] as const)
    it(title, async () => {
      expect(right((await choose(adapters, options)).choice)).to.include({ name });
    });

  it('names the flag for sharing to a user with the right to share the adapter', async () => {
    expect((await choose(['up'])).warnings.join()).to.match(/^hci0 is up: .* start with --hci hci0$/);
    expect((await choose(['up'], { may: false })).warnings).to.deep.equal([]);
    expect((await choose(['down', 'up'])).warnings).to.deep.equal([]);
  });

  for (const [title, adapters, may, ...reasons] of [
    [
      'with the command for each adapter and for BlueZ',
      ['down', 'up'],
      false,
      'this user may not take hci0; hci1 is up: share it by a raw socket with --hci hci1',
      'sudo setcap cap_net_raw+eip',
      '; bluetoothd is not running.',
    ],
    ['without a command for rights that this user has', ['up'], true, 'with --hci hci0; bluetoothd'],
    [
      'with the ways to a radio without an adapter',
      [],
      true,
      'this machine has no Bluetooth adapter; ',
      '--proxy auto',
      'npx airbench air',
    ],
  ] as const)
    it(`is refused in one line ${title}`, async () => {
      const message = left((await choose(adapters, { may, runs: false })).choice);
      expect(message).to.match(/^no radio can be used: [^\n]*$/);
      for (const reason of reasons) expect(message).to.contain(reason);
    });
});
