import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { AirOptions } from '../../../simulators/radio/index.js';
import { advertiseSet, extendedScan } from '../../support/extended-scenes.js';
import { type AirHost } from '../../support/hci-host.js';
import { CENTRAL, PERIPHERAL, advertise, hostOn, pair, scan } from '../../support/hci-scenes.js';
import {
  NO_KEY,
  extendedSenders,
  isOf,
  keys,
  localAddress,
  ofCentral,
  resolve,
  senders,
  useAddress,
} from '../../support/privacy-scenes.js';

const STATIC = 'C0:11:22:33:44:55';
const NONCONNECTABLE = 3;
const LOW_DUTY = 4;
const RESOLVABLE_OR_PUBLIC = 2;
const RESOLVABLE_OR_RANDOM = 3;
/** 16 s. */
const TIMEOUT = 16;

/** A peripheral that has the central in its resolving list, and a central that resolves nothing and hears each of its events. */
const scene = async (options: AirOptions = {}, entry = ofCentral) => {
  const { air, time, central, peripheral } = await pair(options);
  await resolve(peripheral, entry);
  return { air, time, central, peripheral };
};

const advertised = async (central: AirHost): Promise<string> => {
  await scan(central, 0, { type: 0 });
  const [first = ''] = senders(central);
  await central.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
  return first;
};

const forCentral = { peerAddressType: 0, peerAddress: CENTRAL };

/** Core 5.4 Vol 4 Part E 7.8.5, Vol 6 Part B 6.2. */
describe('Advertising with Own_Address_Type', () => {
  for (const ownAddressType of [RESOLVABLE_OR_PUBLIC, RESOLVABLE_OR_RANDOM]) {
    it(`${ownAddressType} uses a private address made with the local key for the peer, as its host reads it`, async () => {
      const { central, peripheral } = await scene();
      await advertise(peripheral, { ownAddressType, ...forCentral });
      const [type, address] = (await advertised(central)).split(' ');
      expect(type).to.equal('1');
      expect(isOf(keys.peripheral, address)).to.equal(true);
      expect(await localAddress(peripheral, ofCentral)).to.equal(address);
    });
  }

  for (const [ownAddressType, expected] of [
    [RESOLVABLE_OR_PUBLIC, `0 ${PERIPHERAL}`],
    [RESOLVABLE_OR_RANDOM, `1 ${STATIC}`],
  ] as const) {
    it(`${ownAddressType} is ${expected} for a peer outside the resolving list`, async () => {
      const { central, peripheral } = await scene();
      await useAddress(peripheral, STATIC);
      await advertise(peripheral, { ownAddressType, peerAddressType: 1, peerAddress: CENTRAL });
      expect(await advertised(central)).to.equal(expected);
    });

    it(`${ownAddressType} is ${expected} for a peer without a local key`, async () => {
      const { central, peripheral } = await scene({}, { ...ofCentral, localIrk: NO_KEY });
      await useAddress(peripheral, STATIC);
      await advertise(peripheral, { ownAddressType, ...forCentral });
      expect(await advertised(central)).to.equal(expected);
    });
  }

  it('2 needs no address resolution', async () => {
    const { central, peripheral } = await scene();
    await peripheral.status('leSetAddressResolutionEnable', { enable: 0 });
    await advertise(peripheral, { ownAddressType: RESOLVABLE_OR_PUBLIC, ...forCentral });
    expect(isOf(keys.peripheral, (await advertised(central)).slice(2))).to.equal(true);
  });

  it('2 of an extended set uses a private address, too', async () => {
    const { central, peripheral } = await scene();
    await advertiseSet(peripheral, { ownAddressType: RESOLVABLE_OR_PUBLIC, ...forCentral });
    await extendedScan(central);
    const [, address] = (extendedSenders(central)[0] ?? '').split(' ');
    expect(isOf(keys.peripheral, address)).to.equal(true);
  });

  it('2 names the target of directed advertising by a private address made with its key', async () => {
    const { air, central, peripheral } = await scene();
    const observer = await hostOn(air, { address: '02:A1:B0:00:00:02' });
    await advertise(peripheral, { type: LOW_DUTY, ownAddressType: RESOLVABLE_OR_PUBLIC, ...forCentral });
    await scan(central, 0);
    // Its filter policy lets unresolved targets through.
    await extendedScan(observer, { filterPolicy: 2 });
    expect(senders(central), 'the central, which resolves nothing').to.deep.equal([]);
    const [, sender, , type, target] = (extendedSenders(observer)[0] ?? '').split(' ');
    expect([isOf(keys.peripheral, sender), type, isOf(keys.central, target)]).to.deep.equal([
      true,
      '254',
      true,
    ]);
  });

  it('2 names the target by its identity if that has no key', async () => {
    const { central, peripheral } = await scene({}, { ...ofCentral, peerIrk: NO_KEY });
    await advertise(peripheral, { type: LOW_DUTY, ownAddressType: RESOLVABLE_OR_PUBLIC, ...forCentral });
    expect(isOf(keys.peripheral, (await advertised(central)).slice(2))).to.equal(true);
  });

  it('0 names the target as the host does', async () => {
    const { central, peripheral } = await scene();
    await advertise(peripheral, { type: LOW_DUTY, ...forCentral });
    expect(await advertised(central)).to.equal(`0 ${PERIPHERAL}`);
  });
});

/** Core 5.4 Vol 4 Part E 7.8.45, Vol 6 Part B 6.1. */
describe('A private address', () => {
  const rotation = async (options: AirOptions) => {
    const { time, central, peripheral } = await scene(options);
    await peripheral.status('leSetResolvableAddressTimeout', { timeout: TIMEOUT });
    const own = { ownAddressType: RESOLVABLE_OR_PUBLIC, ...forCentral, type: NONCONNECTABLE };
    await advertise(peripheral, { ...own, intervalMin: 0x0a0, intervalMax: 0x0a0 });
    await scan(central, 0, { type: 0 });
    return { time, central, peripheral };
  };

  it('stays the same for its timeout, and is another one after that, while the set goes on advertising', async () => {
    const { time, central } = await rotation({ pace: 'real' });
    await time.pass(15_900);
    const before = new Set(senders(central));
    await time.pass(400);
    senders(central);
    await time.pass(15_000);
    const after = new Set(senders(central));
    expect([before.size, after.size]).to.deep.equal([1, 1]);
    expect([...after]).to.not.deep.equal([...before]);
    for (const sender of [...before, ...after]) expect(isOf(keys.peripheral, sender.slice(2))).to.equal(true);
  });

  it('is replaced twenty times as fast at pace fast', async () => {
    const { time, central } = await rotation({ pace: 'fast' });
    await time.pass(790);
    const before = new Set(senders(central));
    await time.pass(800);
    const after = new Set(senders(central));
    expect([before.size, after.size]).to.deep.equal([1, 1]);
    expect([...after]).to.not.deep.equal([...before]);
  });

  it('is replaced after 900 s if its host has set no timeout, and again after a reset', async () => {
    const { time, peripheral } = await scene({ pace: 'real' });
    await peripheral.status('leSetResolvableAddressTimeout', { timeout: 1 });
    await peripheral.begin();
    await resolve(peripheral, ofCentral);
    const first = await localAddress(peripheral, ofCentral);
    time.advance(899_999);
    expect(await localAddress(peripheral, ofCentral)).to.equal(first);
    time.advance(1);
    expect(await localAddress(peripheral, ofCentral)).to.not.equal(first);
  });

  it('is another one for each peer, and repeats with the seed of the air', async () => {
    const second = { ...ofCentral, address: PERIPHERAL, peerIrk: keys.stranger.irk };
    const addresses = async (seed: number): Promise<readonly (string | undefined)[]> => {
      const { peripheral } = await scene({ seed });
      await resolve(peripheral, second);
      return [await localAddress(peripheral, ofCentral), await localAddress(peripheral, second)];
    };
    const [one, other] = await addresses(7);
    expect(one).to.not.equal(other);
    expect(await addresses(7)).to.deep.equal([one, other]);
    expect(await addresses(8)).to.not.deep.equal([one, other]);
  });

  it('is not there without a local key: 0x02', async () => {
    const { peripheral } = await scene({}, { ...ofCentral, localIrk: NO_KEY });
    const peer = { peerIdentityAddressType: 0, peerIdentityAddress: CENTRAL };
    expect(await peripheral.status('leReadLocalResolvableAddress', peer)).to.equal(0x02);
  });
});
