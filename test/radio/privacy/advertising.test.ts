import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { AirOptions } from '../../../simulators/radio/index.js';
import { ask } from '../../support/command-rows.js';
import { CENTRAL, PERIPHERAL, pair } from '../../support/hci-scenes.js';
import { NO_KEY, STRANGER_KEY, isOf, keys, ofCentral, senders } from '../../support/privacy-scenes.js';
import { play, scenes } from '../../support/scenes.js';

const STATIC = 'C0:11:22:33:44:55';
const FOR_CENTRAL = `peerAddress=${CENTRAL}`;
const PRIVATE = `ownAddressType=2 ${FOR_CENTRAL}`;
const RESOLVE = `peripheral resolve ${ofCentral}`;
/** Directed advertising of low duty cycle. */
const DIRECTED = 'peripheral advertise type=4';
const PASSIVE = 'central scan type=0; central hears advertisingReport';
const READ_LOCAL = 'leReadLocalResolvableAddress peerIdentityAddress';

/** Core 5.4 Vol 4 Part E 7.8.5, Vol 6 Part B 6.2. */
describe('Private advertising', () => {
  for (const [type, otherwise] of [
    [2, `addressType=0 address=${PERIPHERAL}`],
    [3, `addressType=1 address=${STATIC}`],
  ] as const) {
    const advertise = `peripheral advertise ownAddressType=${type}`;
    scenes({
      [`${type} uses a private address made with the local key for the peer`]: `
        ${RESOLVE}; ${advertise} ${FOR_CENTRAL}; ${PASSIVE} addressType=1 address=key:peripheral`,
      [`${type} has ${otherwise} for a peer outside the resolving list`]: `
        ${RESOLVE}; peripheral leSetRandomAddress address=${STATIC}
        ${advertise} peerAddressType=1 ${FOR_CENTRAL}; ${PASSIVE} ${otherwise}`,
      [`${type} has ${otherwise} for a peer without a local key`]: `
        ${RESOLVE} localIrk=${NO_KEY}; peripheral leSetRandomAddress address=${STATIC}
        ${advertise} ${FOR_CENTRAL}; ${PASSIVE} ${otherwise}`,
    });
  }

  scenes({
    'needs no address resolution': `
      ${RESOLVE}; peripheral leSetAddressResolutionEnable enable=0
      peripheral advertise ${PRIVATE}; ${PASSIVE} address=key:peripheral`,
    'uses a private address in an extended set, too': `
      ${RESOLVE}; peripheral advertiseSet ${PRIVATE}
      central extendedScan; central hears extendedAdvertisingReport address=key:peripheral`,
    // The central resolves nothing; the filter policy of the observer lets unresolved targets through.
    'names the target of directed advertising by a private address made with its key': `
      observer joins 02:A1:B0:00:00:02; ${RESOLVE}; ${DIRECTED} ${PRIVATE}
      central scan; central hears nothing; observer extendedScan filterPolicy=2
      observer hears extendedAdvertisingReport address=key:peripheral directAddressType=254 directAddress=key:central`,
    'names the target by its identity if the target has no key': `
      ${RESOLVE} peerIrk=${NO_KEY}; ${DIRECTED} ${PRIVATE}; ${PASSIVE} address=key:peripheral`,
    'names the target as the host does, by Own_Address_Type 0': `
      ${RESOLVE}; ${DIRECTED} ${FOR_CENTRAL}; ${PASSIVE} addressType=0 address=${PERIPHERAL}`,
  });
});

/** Core 5.4 Vol 4 Part E 7.8.45, Vol 6 Part B 6.1. */
describe('A private address', () => {
  /** The timeout is 16 s. */
  const rotation = async (options: AirOptions) => {
    const scene = await pair(options);
    await play(
      scene,
      `${RESOLVE}; peripheral leSetResolvableAddressTimeout timeout=16
       peripheral advertise type=3 ${PRIVATE}; central scan type=0`,
    );
    return scene;
  };

  it('stays the same for its timeout, and is replaced after it while the set advertises', async () => {
    const { time, central, peripheral } = await rotation({ pace: 'real' });
    await time.pass(15_900);
    const before = new Set(senders(central));
    const { address } = (await ask(peripheral, `${READ_LOCAL}=${CENTRAL}`)) as { address: string };
    await time.pass(400);
    senders(central);
    await time.pass(15_000);
    const after = new Set(senders(central));
    expect([...before], 'as its host reads it').to.deep.equal([`1 ${address}`]);
    expect([after.size, after.has(`1 ${address}`)]).to.deep.equal([1, false]);
    for (const sender of after) expect(isOf(keys.peripheral, sender.slice(2))).to.equal(true);
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
    const scene = await pair({ pace: 'real' });
    await play(scene, `peripheral leSetResolvableAddressTimeout; peripheral begins; ${RESOLVE}`);
    const address = () => ask(scene.peripheral, `${READ_LOCAL}=${CENTRAL}`);
    const first = await address();
    scene.time.advance(899_999);
    expect(await address()).to.deep.equal(first);
    scene.time.advance(1);
    expect(await address()).to.not.deep.equal(first);
  });

  it('differs for each peer, and repeats with the seed of the air', async () => {
    const addresses = async (seed: number) => {
      const scene = await pair({ seed });
      await play(scene, `${RESOLVE}; ${RESOLVE} peerIdentityAddress=${PERIPHERAL} peerIrk=${STRANGER_KEY}`);
      return Promise.all([CENTRAL, PERIPHERAL].map((peer) => ask(scene.peripheral, `${READ_LOCAL}=${peer}`)));
    };
    const [first, second] = await addresses(7);
    expect(first).to.not.deep.equal(second);
    expect(await addresses(7)).to.deep.equal([first, second]);
    expect(await addresses(8)).to.not.deep.equal([first, second]);
  });

  scenes({
    'cannot be read without a local key: 0x02': `
      ${RESOLVE} localIrk=${NO_KEY}; peripheral ${READ_LOCAL}=${CENTRAL} -> 0x02`,
  });
});
