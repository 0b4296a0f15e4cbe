import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CommandName, CommandParameters } from '../../src/ble/hci/commands.js';
import { bytes, type AirHost } from '../support/hci-host.js';
import {
  NOBODY,
  PERIPHERAL,
  UPDATE,
  advertisingParameters,
  connectionTo,
  linked,
  pair,
  scanParameters,
} from '../support/hci-scenes.js';

type Send = (host: AirHost) => Promise<unknown>;

const set = {
  ...{ set: 0, properties: 0, intervalMin: 0x20, intervalMax: 0x20, channelMap: 7, ownAddressType: 0 },
  ...{ peerAddressType: 0, peerAddress: '00:00:00:00:00:00', filterPolicy: 0, txPower: 127, primaryPhy: 1 },
  ...{ secondaryMaxSkip: 0, secondaryPhy: 1, sid: 0, scanRequestNotification: 0 },
};
const scan = { ownAddressType: 0, filterPolicy: 0, scanningPhys: 1, tail: bytes('01 12 00 12 00') };
const scanning = { enable: 1, filterDuplicates: 0, duration: 0, period: 0 };

/** Sends a command whose parameters differ from usual ones. */
const to =
  <N extends CommandName>(name: N, usual: CommandParameters<N>) =>
  (wrong: Partial<CommandParameters<N>>): Send =>
  (host) =>
    host.status(name, Object.assign({}, usual, wrong));

const advertising = to('leSetAdvertisingParameters', advertisingParameters);
const extended = to('leSetExtendedAdvertisingParameters', set);
const data = to('leSetExtendedAdvertisingData', {
  ...{ set: 0, operation: 3, fragmentPreference: 1, length: 0, tail: Buffer.alloc(0) },
});
const scanParametersWith = to('leSetScanParameters', scanParameters);
const extendedScan = to('leSetExtendedScanParameters', scan);
const enableScan = to('leSetExtendedScanEnable', scanning);
const connect = to('leCreateConnection', connectionTo(PERIPHERAL));
const scanOn: Send = (host) => host.status('leSetScanEnable', { enable: 1, filterDuplicates: 0 });
const advertiseOn: Send = (host) => host.status('leSetAdvertisingEnable', { enable: 1 });
const setOn: Send = (host) =>
  host.status('leSetExtendedAdvertisingEnable', { enable: 1, sets: 1, tail: bytes('00 00 00 00') });

/** What a strict controller says of the last of some commands. */
const sentences: readonly (readonly [sentence: string, ...Send[]])[] = [
  ['there is no link with Connection_Handle 0x0EFF', (host) => host.status('readRssi', { handle: 0x0eff })],
  [
    'Advertising_Channel_Map must name some of the channels 37 to 39 (0x01 to 0x07), got 0x08',
    advertising({ channelMap: 8 }),
  ],
  ['Advertising_Filter_Policy must be 0x00 to 0x03, got 0x04', advertising({ filterPolicy: 4 })],
  [
    'the advertising interval must be 0x0020 to 0x4000 and its minimum at most its maximum, got 0x00A0 to 0x4001',
    advertising({ intervalMax: 0x4001 }),
  ],
  ['Advertising_Type must be 0x00 to 0x04, got 0x05', advertising({ type: 5 })],
  ['Peer_Address_Type must be 0x00 or 0x01, got 0x02', advertising({ peerAddressType: 2 })],
  ['Own_Address_Type must be 0x00 to 0x03, got 0x04', advertising({ ownAddressType: 4 })],
  [
    'Own_Address_Type 0x02 needs LL privacy, which the features do not offer',
    advertising({ ownAddressType: 2 }),
  ],
  ['the parameters must not change while advertising', advertiseOn, advertising({})],
  [
    'Own_Address_Type is random, and the random address was never set',
    advertising({ ownAddressType: 1 }),
    advertiseOn,
  ],
  [
    'Advertising_Enable must be 0x00 or 0x01, got 0x02',
    (host) => host.status('leSetAdvertisingEnable', { enable: 2 }),
  ],
  [
    'the data must be at most 31 bytes, got 32',
    (host) => host.status('leSetAdvertisingData', { length: 32, data: Buffer.alloc(31) }),
  ],
  [
    'the random address must not change while advertising, scanning or initiating',
    scanOn,
    (host) => host.status('leSetRandomAddress', { address: 'C0:11:22:33:44:55' }),
  ],
  [
    'legacy and extended advertising commands must not be mixed between two resets (3.1.1)',
    scanOn,
    extendedScan({}),
  ],
  ['the scan type must be 0x00 or 0x01, got 0x02', scanParametersWith({ type: 2 })],
  ['the scan interval must be 0x0004 to 0x4000, got 0x0003', scanParametersWith({ interval: 3, window: 3 })],
  ['the scan interval must be 0x0004 to 0x4000, got 0x4001', scanParametersWith({ interval: 0x4001 })],
  [
    "the scan window must be 0x0004 to the interval's 0x0012, got 0x0013",
    scanParametersWith({ interval: 0x12, window: 0x13 }),
  ],
  ['Scanning_Filter_Policy must be 0x00 to 0x03, got 0x04', scanParametersWith({ filterPolicy: 4 })],
  [
    'Scanning_Filter_Policy 0x02 needs the extended filter policies, which the features do not offer',
    scanParametersWith({ filterPolicy: 2 }),
  ],
  ['the scan parameters must not change while scanning', scanOn, scanParametersWith({})],
  ['Enable must be 0x00 or 0x01, got 0x02', enableScan({ enable: 2 })],
  [
    'Filter_Duplicates must be 0x00 or 0x01, got 0x02',
    (host) => host.status('leSetScanEnable', { enable: 1, filterDuplicates: 2 }),
  ],
  ['Filter_Duplicates must be 0x00 to 0x02, got 0x03', enableScan({ filterDuplicates: 3 })],
  [
    'duplicates are filtered by period (0x02) only with Duration and Period',
    enableScan({ filterDuplicates: 2, duration: 1 }),
  ],
  [
    'duplicates are filtered by period (0x02) only with Duration and Period',
    enableScan({ filterDuplicates: 2, period: 1 }),
  ],
  ['Duration (1280 ms) must be shorter than Period (1280 ms)', enableScan({ duration: 128, period: 1 })],
  [
    'Scanning_PHYs 0x00 must name 1M (0x01) or Coded (0x04), with five bytes for each',
    extendedScan({ scanningPhys: 0, tail: Buffer.alloc(0) }),
  ],
  ['there is no scanning on the PHYs 0x03 beside 1M and Coded', extendedScan({ scanningPhys: 3 })],
  [
    'the connection interval must be 0x0006 to 0x0C80 and its minimum at most its maximum, got 0x0005 to 0x000C',
    connect({ connectionIntervalMin: 5, connectionIntervalMax: 12 }),
  ],
  ['Max_Latency must be at most 0x01F3, got 0x01F4', connect({ maxLatency: 500, supervisionTimeout: 3200 })],
  ['Supervision_Timeout must be 0x000A to 0x0C80, got 0x0009', connect({ supervisionTimeout: 9 })],
  [
    'Supervision_Timeout of 150 ms must be more than (1 + Max_Latency) × the maximum interval × 2',
    connect({ connectionIntervalMax: 12, maxLatency: 4, supervisionTimeout: 15 }),
  ],
  [
    'Min_CE_Length must be at most Max_CE_Length, got 0x0002 and 0x0001',
    connect({ minCeLength: 2, maxCeLength: 1 }),
  ],
  [
    'the filter accept list must not change while scanning uses it',
    scanParametersWith({ filterPolicy: 1 }),
    scanOn,
    (host) => host.status('leClearFilterAcceptList', {}),
  ],
  [
    'the filter accept list must not change while advertising uses it',
    advertising({ filterPolicy: 1 }),
    advertiseOn,
    (host) => host.status('leClearFilterAcceptList', {}),
  ],
  [
    'the filter accept list must not change while initiating uses it',
    connect({ peerAddress: NOBODY, filterPolicy: 1 }),
    (host) => host.status('leClearFilterAcceptList', {}),
  ],
  [
    'Address_Type must be 0x00, 0x01 or 0xFF, got 2',
    (host) => host.status('leAddToFilterAcceptList', { addressType: 2, address: PERIPHERAL }),
  ],
  ['Advertising_Handle must be 0x00 to 0xEF, got 0xF0', extended({ set: 0xf0 })],
  ['Peer_Address_Type must be 0x00 or 0x01, got 0x02', extended({ peerAddressType: 2 })],
  ['the parameters must not change while the set advertises', extended({}), setOn, extended({})],
  [
    'the address of a connectable set must not change while it advertises',
    extended({ properties: 1 }),
    setOn,
    (host) => host.status('leSetAdvertisingSetRandomAddress', { set: 0, address: 'C0:11:22:33:44:55' }),
  ],
  [
    'the set has data that this kind of advertising cannot carry',
    extended({}),
    data({ length: 1, tail: bytes('00') }),
    extended({ properties: 2 }),
  ],
  ['there is no advertising set 0x07', (host) => host.status('leRemoveAdvertisingSet', { set: 7 })],
  [
    'legacy PDUs are 0x0013, 0x0015, 0x001D, 0x0012 or 0x0010, got Advertising_Event_Properties 0x0011',
    extended({ properties: 0x11 }),
  ],
  ['bits 7 to 15 are reserved, got Advertising_Event_Properties 0x0080', extended({ properties: 0x80 })],
  [
    'extended PDUs are not both connectable and scannable, got Advertising_Event_Properties 0x0003',
    extended({ properties: 3 }),
  ],
  [
    'high duty cycle is for legacy PDUs, got Advertising_Event_Properties 0x0008',
    extended({ properties: 8 }),
  ],
  [
    'anonymous advertising is neither connectable nor scannable, got Advertising_Event_Properties 0x0021',
    extended({ properties: 0x21 }),
  ],
  ['Primary_Advertising_PHY must be 0x01, or 0x03 with extended PDUs, got 0x02', extended({ primaryPhy: 2 })],
  ['Secondary_Advertising_PHY must be 0x01 to 0x03, got 0x04', extended({ secondaryPhy: 4 })],
  ['Advertising_SID must be 0x00 to 0x0F, got 0x10', extended({ sid: 0x10 })],
  ['Advertising_TX_Power must be -127 to 20, or 127 for no preference, got 21', extended({ txPower: 21 })],
  [
    'Advertising_TX_Power must be -127 to 20, or 127 for no preference, got -128',
    extended({ txPower: -128 }),
  ],
  [
    'Scan_Request_Notification_Enable must be 0x00 or 0x01, got 0x02',
    extended({ scanRequestNotification: 2 }),
  ],
  [
    'Operation must be 0x00 to 0x04, Fragment_Preference 0x00 or 0x01',
    extended({}),
    data({ fragmentPreference: 2 }),
  ],
  ['a part of data must not be empty', extended({}), data({ operation: 1 })],
  [
    'data of legacy PDUs comes in one piece (Operation 0x03)',
    extended({ properties: 0x10 }),
    data({ operation: 1, length: 1, tail: bytes('00') }),
  ],
  [
    'this kind of advertising has no advertising data',
    extended({ properties: 2 }),
    data({ length: 1, tail: bytes('00') }),
  ],
  [
    'this kind of advertising has no scan response',
    extended({}),
    (host) =>
      host.status('leSetExtendedScanResponseData', {
        ...{ set: 0, operation: 3, fragmentPreference: 1, length: 1, tail: bytes('00') },
      }),
  ],
  [
    'the length must be that of the data, at most 251, got 2 for 1 bytes',
    extended({}),
    data({ length: 2, tail: bytes('00') }),
  ],
  [
    'there is room for 31 bytes, got 32',
    extended({ properties: 0x10 }),
    data({ length: 32, tail: Buffer.alloc(32) }),
  ],
  [
    'while the set advertises, its data comes in one piece (Operation 0x03)',
    extended({}),
    setOn,
    data({ operation: 1, length: 1, tail: bytes('00') }),
  ],
  [
    'the first part (Operation 0x01) has to come first',
    extended({}),
    data({ operation: 0, length: 1, tail: bytes('00') }),
  ],
  [
    'only the data of a set that advertises can stay unchanged (Operation 0x04), and no bytes come with it',
    extended({}),
    data({ operation: 4 }),
  ],
];

/** The ends of each range, which a strict controller has nothing to say of. */
const fine: Readonly<Record<string, Send>> = {
  'advertising intervals': advertising({ intervalMin: 0x20, intervalMax: 0x4000 }),
  'a peer address type of 1': advertising({ peerAddressType: 1 }),
  'data of 31 bytes': (host) => host.status('leSetAdvertisingData', { length: 31, data: Buffer.alloc(31) }),
  'the shortest scan': scanParametersWith({ interval: 4, window: 4 }),
  'the longest scan': scanParametersWith({ interval: 0x4000, window: 0x4000 }),
  'the shortest connection': connect({
    ...{ connectionIntervalMin: 6, connectionIntervalMax: 6, maxLatency: 0, supervisionTimeout: 10 },
  }),
  'the longest connection': connect({
    ...{ connectionIntervalMin: 3199, connectionIntervalMax: 3200, maxLatency: 0, supervisionTimeout: 3200 },
  }),
  'the most events left out': connect({
    ...{ connectionIntervalMin: 6, connectionIntervalMax: 6, maxLatency: 499, supervisionTimeout: 3200 },
  }),
  'the last set': extended({ set: 0xef }),
  'the last SID': extended({ sid: 0x0f }),
  'the least power': extended({ txPower: -127 }),
  'the most power': extended({ txPower: 20 }),
};

describe('A strict controller reports what is wrong:', () => {
  for (const [sentence, ...commands] of sentences) {
    it(sentence, async () => {
      const { air, central } = await pair({ strict: true });
      for (const send of commands) await send(central);
      expect(
        air.violations.list().map((violation) => violation.sentence.replace(/^HCI_\w+: /, '')),
      ).to.deep.equal([sentence]);
    });
  }

  it('a request for connection parameters is pending', async () => {
    const { air, peripheral, peripheralHandle: handle } = await linked({ strict: true });
    for (let times = 0; times < 2; times++)
      await peripheral.status('leConnectionUpdate', { handle, ...UPDATE });
    expect(air.violations.list().map(({ sentence }) => sentence)).to.deep.equal([
      'HCI_LE_Connection_Update: a request for connection parameters is pending',
    ]);
  });

  it('the other side did not ask for connection parameters', async () => {
    const { air, central, centralHandle: handle } = await linked({ strict: true });
    await central.status('leRemoteConnectionParameterRequestNegativeReply', { handle, reason: 0x3b });
    expect(air.violations.list().map(({ sentence }) => sentence)).to.deep.equal([
      'HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply: the other side did not ask for connection parameters',
    ]);
  });

  for (const [what, send] of Object.entries(fine)) {
    it(`nothing of ${what}`, async () => {
      const { air, central } = await pair({ strict: true });
      expect(await send(central)).to.equal(0);
      expect(air.violations.list()).to.deep.equal([]);
    });
  }
});
