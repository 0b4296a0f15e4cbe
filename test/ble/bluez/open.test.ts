/** The radio on BlueZ on a bus of dbus-daemon, with a service in the place of bluetoothd. */
import { Message, Variant } from '@jellybrick/dbus-next';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { listBluezAdapters, openBluez } from '../../../src/ble/bluez/index.js';
import { left, right } from '../../support/either.js';
import { startBus, startService } from '../../support/private-bus.js';
import { useVariables } from '../../support/variables.js';

const adapter = (address: string, isPowered: boolean) => ({
  'org.bluez.Adapter1': {
    Address: new Variant('s', address),
    Powered: new Variant('b', isPowered),
    PowerState: new Variant('s', isPowered ? 'on' : 'off-blocked'),
  },
});

describe('BlueZ', () => {
  const setVariable = useVariables();
  let ending: (() => Promise<void> | void)[] = [];

  beforeEach(async function () {
    const bus = await startBus(this);
    ending = [bus.close];
    setVariable('DBUS_SYSTEM_BUS_ADDRESS', bus.address);
  });

  afterEach(async () => {
    for (const end of ending.reverse()) await end();
  });

  const startDaemon = async (): Promise<void> => {
    const objects = {
      '/org/bluez/hci10': adapter('00:00:00:00:00:10', false),
      '/org/bluez/hci9': adapter('00:00:00:00:00:09', true),
    };
    const { close } = await startService('org.bluez', (call) =>
      Message.newMethodReturn(call, 'a{oa{sa{sv}}}', [objects]),
    );
    ending.push(close);
  };

  const open = (name?: string) =>
    openBluez(name, {
      limits: { connect: 1_000, discover: 1_000, gatt: 1_000 },
      ...{ inform: () => undefined, warn: () => undefined },
    })();

  it('lists its adapters by number', async () => {
    await startDaemon();
    expect(right(await listBluezAdapters())).to.deep.equal([
      { name: 'hci9', address: '00:00:00:00:00:09', isPowered: true, isBlocked: false },
      { name: 'hci10', address: '00:00:00:00:00:10', isPowered: false, isBlocked: true },
    ]);
  });

  it('names the remedy without bluetoothd', async () => {
    const { what, fix } = left(await listBluezAdapters());
    expect(`${what}: ${fix}`).to.match(/^bluetoothd does not run.*`sudo systemctl enable --now bluetooth`/);
    expect(left(await open())).to.have.property('_tag', 'AdapterUnavailable');
  });

  it('opens an adapter that is on, or the one with a name, and no other', async () => {
    await startDaemon();
    for (const [name, opened] of [
      [undefined, ['hci9', 'poweredOn']],
      ['hci10', ['hci10', 'poweredOff']],
    ] as const) {
      const radio = right(await open(name));
      expect([radio.adapter, radio.state]).to.deep.equal(opened);
      await radio.close();
    }
    expect(left(await open('hci3'))).to.deep.equal({
      ...{ _tag: 'AdapterUnavailable', reason: 'BlueZ has no adapter hci3, but hci9, hci10' },
    });
  });
});
