import { expect } from 'chai';
import { describe, it } from 'mocha';
import { extendedScan } from '../support/extended-scenes.js';
import type { AirHost } from '../support/hci-host.js';
import {
  CENTRAL,
  PERIPHERAL,
  advertisingParameters,
  connectionTo,
  hostOn,
  linked,
  scanParameters,
  stillAir,
} from '../support/hci-scenes.js';

const DISALLOWED = 0x0c;
const INVALID = 0x12;

const central = (): Promise<AirHost> => hostOn(stillAir().air, { address: CENTRAL });

describe('Wrong state', () => {
  it('a second link to the same peer: 0x0B', async () => {
    const { central: host } = await linked();
    expect(await host.status('leCreateConnection', connectionTo(PERIPHERAL))).to.equal(0x0b);
  });

  it('connectable advertising without room for one more link: 0x09', async () => {
    const { peripheral } = await linked();
    expect(await peripheral.status('leSetAdvertisingEnable', { enable: 1 })).to.equal(0x09);
    await peripheral.status('leSetAdvertisingParameters', { ...advertisingParameters, type: 3 });
    expect(await peripheral.status('leSetAdvertisingEnable', { enable: 1 })).to.equal(0);
  });

  it('a peripheral does not start encryption: 0x0C', async () => {
    const { peripheral, peripheralHandle: handle } = await linked();
    const key = { random: Buffer.alloc(8), encryptedDiversifier: 0, longTermKey: Buffer.alloc(16) };
    expect(await peripheral.status('leEnableEncryption', { handle, ...key })).to.equal(DISALLOWED);
  });

  it('a key that was not requested, or that the central gives: 0x0C', async () => {
    const link = await linked();
    const { centralHandle, peripheralHandle } = link;
    const longTermKey = Buffer.alloc(16);
    const reply = { handle: peripheralHandle, longTermKey };
    expect(await link.peripheral.status('leLongTermKeyRequestReply', reply)).to.equal(DISALLOWED);
    const negative = { handle: peripheralHandle };
    expect(await link.peripheral.status('leLongTermKeyRequestNegativeReply', negative)).to.equal(DISALLOWED);
    const theirs = { handle: centralHandle, longTermKey };
    expect(await link.central.status('leLongTermKeyRequestReply', theirs)).to.equal(DISALLOWED);
  });

  it('a reason to disconnect that hosts may not give: 0x12', async () => {
    const { central: host, centralHandle: handle } = await linked();
    expect(await host.status('disconnect', { handle, reason: 0x08 })).to.equal(INVALID);
    expect(await host.status('disconnect', { handle, reason: 0x16 })).to.equal(INVALID);
  });
});

describe('Legacy and extended commands', () => {
  it('must not be mixed: legacy after extended is 0x0C until a reset', async () => {
    const host = await central();
    await extendedScan(host);
    const legacy = async () => [
      await host.status('leSetAdvertisingParameters', advertisingParameters),
      await host.status('leReadAdvertisingTxPower', {}),
      await host.status('leSetAdvertisingData', { length: 0, data: Buffer.alloc(0) }),
      await host.status('leSetScanResponseData', { length: 0, data: Buffer.alloc(0) }),
      await host.status('leSetAdvertisingEnable', { enable: 0 }),
      await host.status('leSetScanParameters', scanParameters),
      await host.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 }),
      await host.status('leCreateConnection', connectionTo(PERIPHERAL)),
    ];
    expect(await legacy()).to.deep.equal(Array<number>(8).fill(DISALLOWED));
    await host.begin();
    expect(await legacy()).to.deep.equal(Array<number>(8).fill(0));
  });
});
