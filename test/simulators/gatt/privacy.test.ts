import { expect } from 'chai';
import { describe, it } from 'mocha';
import { decodeSpecs } from '../../../simulators/control/index.js';
import { isResolvable } from '../../../simulators/ble/device-address.js';
import { left } from '../../support/either.js';
import { otherTurns } from '../../support/hci-host.js';
import { CENTRAL, connectionTo, hostOn, scan } from '../../support/hci-scenes.js';
import { senders } from '../../support/privacy-scenes.js';
import { HASTE } from '../../support/att-host.js';
import { worldOf } from './scene.js';

const LIFETIME_MS = 60_000 / HASTE;

const described = { kind: 'gatt', pairing: {}, privacy: { timeout_secs: 60 } };

/** A device with private addresses, and a host that scans. */
const scene = async () => {
  const { air, time, device } = await worldOf(described);
  const host = await hostOn(air, { address: CENTRAL });
  await scan(host, 0);
  /** The address of the device on the air, after `ms` milliseconds. */
  const addressAfter = async (ms: number): Promise<string> => {
    senders(host);
    await time.pass(ms);
    const [type, address = ''] = senders(host).at(-1)?.split(' ') ?? [];
    expect(type).to.equal('1');
    return address;
  };
  return { host, time, addressAfter, model: () => device.model() };
};

describe('A device from a file with private addresses', () => {
  it('advertises with resolvable addresses, a new one after each lifetime', async () => {
    const { addressAfter } = await scene();
    const first = await addressAfter(200);
    const second = await addressAfter(LIFETIME_MS);
    for (const address of [first, second]) expect(isResolvable({ address, type: 'random' })).to.equal(true);
    expect(first).to.not.equal(second);
    expect(await addressAfter(200)).to.equal(second);
  });

  it('is connected by its address on the air, and serves its services', async () => {
    const { host, time, addressAfter, model } = await scene();
    const address = await addressAfter(200);
    await host.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    await host.status('leCreateConnection', { ...connectionTo(address), peerAddressType: 1 });
    time.advance(110);
    await host.connected();
    await otherTurns();
    expect(model()).to.include({ mtu: 23, security: 'open' });
  });

  it('must pair', () => {
    const { message } = left(decodeSpecs([{ kind: 'gatt', privacy: {} }]));
    expect(message).to.contain('privacy needs pairing: a host gets the key of private addresses by a bond');
  });
});
