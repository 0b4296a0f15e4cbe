import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CommandName, CommandParameters } from '../../src/ble/hci/commands.js';
import { bytes, type AirHost } from '../support/hci-host.js';
import {
  CENTRAL,
  PERIPHERAL,
  advertisingParameters,
  connectionTo,
  hostOn,
  scanParameters,
  stillAir,
} from '../support/hci-scenes.js';

const INVALID = 0x12;
const UNSUPPORTED = 0x11;

const central = (): Promise<AirHost> => hostOn(stillAir().air, { address: CENTRAL });
const hex = (status: number): string => `0x${status.toString(16).padStart(2, '0').toUpperCase()}`;

/** A command, what about it is wrong, and the status that says so. */
const refuses =
  <N extends CommandName>(name: N, usual: CommandParameters<N>, status: number) =>
  (wrong: Partial<CommandParameters<N>>): void => {
    const what = Object.entries(wrong)
      .map(([field, value]) => `${field} ${Buffer.isBuffer(value) ? value.toString('hex') : String(value)}`)
      .join(', ');
    it(`${name} with ${what}: ${hex(status)}`, async () => {
      const host = await central();
      expect(await host.status(name, Object.assign({}, usual, wrong))).to.equal(status);
    });
  };

describe('Out of range', () => {
  [{ leSupported: 2 }].forEach(refuses('writeLeHostSupport', { leSupported: 1, simultaneous: 0 }, INVALID));
  [
    { intervalMin: 0x001f },
    { intervalMin: 0x00a1 },
    { intervalMax: 0x4001 },
    { type: 5 },
    { ownAddressType: 4 },
    { peerAddressType: 2 },
    { channelMap: 0 },
    { channelMap: 8 },
    { filterPolicy: 4 },
  ].forEach(refuses('leSetAdvertisingParameters', advertisingParameters, INVALID));
  [{ length: 32 }].forEach(refuses('leSetAdvertisingData', { length: 0, data: Buffer.alloc(0) }, INVALID));
  [{ length: 32 }].forEach(refuses('leSetScanResponseData', { length: 0, data: Buffer.alloc(0) }, INVALID));
  [{ enable: 2 }].forEach(refuses('leSetAdvertisingEnable', { enable: 1 }, INVALID));
  [
    { type: 2 },
    { interval: 0x0003, window: 0x0003 },
    { interval: 0x4001 },
    { window: 0x0003 },
    { window: 0x0011 },
    { ownAddressType: 4 },
    { filterPolicy: 4 },
  ].forEach(refuses('leSetScanParameters', scanParameters, INVALID));
  [{ enable: 2 }, { filterDuplicates: 2 }].forEach(
    refuses('leSetScanEnable', { enable: 1, filterDuplicates: 0 }, INVALID),
  );
  [
    { scanInterval: 0x0003 },
    { scanInterval: 0x4001 },
    { scanWindow: 0x0003 },
    { scanWindow: 0x0061 },
    { filterPolicy: 2 },
    { peerAddressType: 4 },
    { ownAddressType: 4 },
    { connectionIntervalMin: 5 },
    { connectionIntervalMin: 13 },
    { connectionIntervalMax: 3201, supervisionTimeout: 3200 },
    { maxLatency: 500, supervisionTimeout: 3200 },
    { supervisionTimeout: 9 },
    { supervisionTimeout: 3201 },
    // (1 + 32) × 15 ms × 2 = 990 ms is below the timeout of 1 s, (1 + 33) × 15 ms × 2 is not.
    { maxLatency: 33 },
    { minCeLength: 2, maxCeLength: 1 },
  ].forEach(refuses('leCreateConnection', connectionTo(PERIPHERAL), INVALID));
  [{ txPhys: 0 }, { rxPhys: 0 }].forEach(
    refuses('leSetDefaultPhy', { allPhys: 0, txPhys: 1, rxPhys: 1 }, INVALID),
  );
  [
    { ownAddressType: 4 },
    { filterPolicy: 4 },
    { scanningPhys: 0 },
    { scanningPhys: 5 },
    { tail: bytes('02 12 00 12 00') },
    { tail: bytes('01 03 00 03 00') },
    { tail: bytes('01 12 00 13 00') },
    { tail: bytes('01 12 00') },
    { scanningPhys: 5, tail: bytes('01 12 00 12 00 02 12 00 12 00') },
  ].forEach(
    refuses(
      'leSetExtendedScanParameters',
      { ownAddressType: 0, filterPolicy: 0, scanningPhys: 1, tail: bytes('01 12 00 12 00') },
      INVALID,
    ),
  );
  [{ enable: 2 }, { filterDuplicates: 3 }].forEach(
    refuses('leSetExtendedScanEnable', { enable: 1, filterDuplicates: 0, duration: 0, period: 0 }, INVALID),
  );
  const phy = '60 00 60 00 06 00 0C 00 00 00 C8 00 00 00 00 00';
  [
    { filterPolicy: 2 },
    { ownAddressType: 4 },
    { peerAddressType: 4 },
    { initiatingPhys: 0, tail: Buffer.alloc(0) },
    { initiatingPhys: 2 },
    { initiatingPhys: 8 },
    { initiatingPhys: 5 },
    { tail: bytes(phy.replace('60 00 60 00', '03 00 03 00')) },
    { tail: bytes(phy.replace('60 00 60 00', '60 00 61 00')) },
    { tail: bytes(phy.replace('06 00', '05 00')) },
    { initiatingPhys: 5, tail: bytes(phy + phy.replace('06 00', '05 00')) },
  ].forEach(
    refuses(
      'leExtendedCreateConnection',
      {
        filterPolicy: 0,
        ownAddressType: 0,
        peerAddressType: 1,
        peerAddress: PERIPHERAL,
        initiatingPhys: 1,
        tail: bytes(phy),
      },
      INVALID,
    ),
  );

  it('a random address that was never set cannot advertise, scan or connect: 0x12', async () => {
    const host = await central();
    const own = { ownAddressType: 1 };
    await host.status('leSetAdvertisingParameters', { ...advertisingParameters, ...own });
    expect(await host.status('leSetAdvertisingEnable', { enable: 1 })).to.equal(INVALID);
    await host.status('leSetScanParameters', { ...scanParameters, ...own });
    expect(await host.status('leSetScanEnable', { enable: 1, filterDuplicates: 0 })).to.equal(INVALID);
    expect(await host.status('leCreateConnection', { ...connectionTo(PERIPHERAL), ...own })).to.equal(
      INVALID,
    );
  });
});

describe('Not supported', () => {
  [{ ownAddressType: 2 }, { ownAddressType: 3 }].forEach(
    refuses('leSetAdvertisingParameters', advertisingParameters, UNSUPPORTED),
  );
  [{ ownAddressType: 3 }, { filterPolicy: 2 }, { filterPolicy: 3 }].forEach(
    refuses('leSetScanParameters', scanParameters, UNSUPPORTED),
  );
  [{ ownAddressType: 2 }, { peerAddressType: 2 }].forEach(
    refuses('leCreateConnection', connectionTo(PERIPHERAL), UNSUPPORTED),
  );
  [{ txPhys: 8 }, { rxPhys: 9 }].forEach(
    refuses('leSetDefaultPhy', { allPhys: 0, txPhys: 1, rxPhys: 1 }, UNSUPPORTED),
  );
});
