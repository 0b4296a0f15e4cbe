import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CommandName, CommandParameters } from '../../src/ble/hci/commands.js';
import { bytes, type AirHost } from '../support/hci-host.js';
import {
  CENTRAL,
  NOBODY,
  PERIPHERAL,
  advertise,
  advertisingParameters,
  connectionTo,
  hostOn,
  linked,
  scan,
  scanParameters,
  stillAir,
} from '../support/hci-scenes.js';

const UNKNOWN_CONNECTION = 0x02;
const DISALLOWED = 0x0c;
const INVALID = 0x12;

const central = (): Promise<AirHost> => hostOn(stillAir().air, { address: CENTRAL });

describe('Unknown handle', () => {
  const { handle, ...update } = { handle: 0x0eff, ...connectionTo(PERIPHERAL) };
  const key = { longTermKey: Buffer.alloc(16) };
  const refused = <N extends CommandName>(name: N, parameters: CommandParameters<N>): void => {
    it(`${name}: 0x02`, async () => {
      const host = await central();
      expect(await host.status(name, parameters)).to.equal(UNKNOWN_CONNECTION);
    });
  };
  refused('disconnect', { handle, reason: 0x13 });
  refused('readRssi', { handle });
  refused('leConnectionUpdate', { handle, ...update });
  refused('leEnableEncryption', { handle, random: Buffer.alloc(8), encryptedDiversifier: 0, ...key });
  refused('leLongTermKeyRequestReply', { handle, ...key });
  refused('leLongTermKeyRequestNegativeReply', { handle });
});

describe('Wrong state', () => {
  it('parameters of advertising cannot change while it advertises: 0x0C', async () => {
    const host = await central();
    await advertise(host);
    expect(await host.status('leSetAdvertisingParameters', advertisingParameters)).to.equal(DISALLOWED);
    expect(await host.status('leSetAdvertisingEnable', { enable: 0 })).to.equal(0);
    expect(await host.status('leSetAdvertisingParameters', advertisingParameters)).to.equal(0);
  });

  it('parameters of scanning cannot change while it scans: 0x0C', async () => {
    const host = await central();
    await scan(host, 0);
    expect(await host.status('leSetScanParameters', scanParameters)).to.equal(DISALLOWED);
  });

  it('the random address cannot change while it advertises, scans or initiates: 0x0C', async () => {
    const address = 'C0:00:00:00:00:01';
    for (const begin of [
      (host: AirHost) => advertise(host),
      (host: AirHost) => scan(host, 0),
      (host: AirHost) => host.status('leCreateConnection', connectionTo(NOBODY)),
    ]) {
      const host = await central();
      await begin(host);
      expect(await host.status('leSetRandomAddress', { address })).to.equal(DISALLOWED);
    }
  });

  it('one attempt to connect at a time: 0x0C', async () => {
    const host = await central();
    expect(await host.status('leCreateConnection', connectionTo(PERIPHERAL))).to.equal(0);
    expect(await host.status('leCreateConnection', connectionTo(NOBODY))).to.equal(DISALLOWED);
  });

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
  const extended = async (host: AirHost): Promise<readonly number[]> => {
    const parameters = {
      ownAddressType: 0,
      filterPolicy: 0,
      scanningPhys: 1,
      tail: bytes('01 12 00 12 00'),
    };
    const enable = { enable: 1, filterDuplicates: 0, duration: 0, period: 0 };
    return [
      await host.status('leSetExtendedScanParameters', parameters),
      await host.status('leSetExtendedScanEnable', enable),
    ];
  };

  it('must not be mixed: extended after legacy is 0x0C until a reset', async () => {
    const host = await central();
    await host.status('leSetScanEnable', { enable: 0, filterDuplicates: 0 });
    expect(await extended(host)).to.deep.equal([DISALLOWED, DISALLOWED]);
    await host.begin();
    expect(await extended(host)).to.deep.equal([0, 0]);
  });

  it('must not be mixed: legacy after extended is 0x0C until a reset', async () => {
    const host = await central();
    await extended(host);
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
