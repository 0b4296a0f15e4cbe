import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Air } from '../../simulators/radio/index.js';
import { send, hex } from '../support/command-rows.js';
import { CENTRAL, NOBODY, hostOn, linked, pair, stillAir } from '../support/hci-scenes.js';
import { rows } from '../support/rows.js';
import { play } from '../support/scenes.js';

/** Commands of LL privacy (Core 5.4 Vol 4 Part E 7.8.38 to 7.8.45, 7.8.77) and with own addresses (7.8.9, 7.8.11, 7.8.12, 7.8.56, 7.8.66). */
const ADD = 'leAddToResolvingList';
const ENABLE = 'leSetAddressResolutionEnable';
const ADVERTISE = 'leSetAdvertisingEnable';
const CHANGES = [
  `${ADD} peerIdentityAddress=C0:00:00:00:00:02 peerIrk=x${'03'.repeat(16)}`,
  'leRemoveFromResolvingList',
  'leClearResolvingList',
  'leSetPrivacyMode mode=1',
];
const USERS = [
  [ADVERTISE, 'advertising'],
  ['leSetScanEnable', 'scanning'],
  ['leCreateConnection', 'initiating'],
  ['leExtendedCreateConnection', 'initiating'],
  ['leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable', 'advertising'],
  ['leSetExtendedScanEnable', 'scanning'],
] as const;

const reportsOf = (air: Air): readonly string[] =>
  air.violations.list().map(({ message }) => message.replace(/^HCI_\w+: /, ''));

/** The statuses of `COMMAND; COMMAND`, and the reports of a strict controller. */
const outcomeOf = async (commands: string) => {
  const { air, central } = await pair({ strict: true });
  const statuses: string[] = [];
  for (const command of commands.split('; ')) statuses.push(hex(await send(central, command)));
  return { statuses, reports: reportsOf(air) };
};

/** Expects one report; `-`: any. */
const expectReport = (reports: readonly string[], expected: string): void => {
  expect(reports).to.have.length(1);
  if (expected !== '-') expect(reports).to.deep.equal([expected]);
};

describe('A controller', () => {
  /** Commands, the status of the last one, and its report by a strict controller. */
  const refusals = rows(
    3,
    `
    readRssi handle=0x0eff | 0x02 | there is no link with Connection_Handle 0x0EFF
    writeLeHostSupport leSupported=2 | 0x12 | -
    leSetAdvertisingParameters intervalMin=0x1f | 0x12 | -
    leSetAdvertisingParameters intervalMin=0xa1 | 0x12 | -
    leSetAdvertisingParameters intervalMax=0x4001 | 0x12 | the advertising interval must be 0x0020 to 0x4000 and its minimum at most its maximum, got 0x00A0 to 0x4001
    leSetAdvertisingParameters type=5 | 0x12 | Advertising_Type must be 0x00 to 0x04, got 0x05
    leSetAdvertisingParameters ownAddressType=4 | 0x12 | Own_Address_Type must be 0x00 to 0x03, got 0x04
    leSetAdvertisingParameters peerAddressType=2 | 0x12 | Peer_Address_Type must be 0x00 or 0x01, got 0x02
    leSetAdvertisingParameters channelMap=0 | 0x12 | -
    leSetAdvertisingParameters channelMap=8 | 0x12 | Advertising_Channel_Map must name some of the channels 37 to 39 (0x01 to 0x07), got 0x08
    leSetAdvertisingParameters filterPolicy=4 | 0x12 | Advertising_Filter_Policy must be 0x00 to 0x03, got 0x04
    leSetAdvertisingEnable; leSetAdvertisingParameters | 0x0C | the parameters must not change while advertising
    leSetAdvertisingParameters ownAddressType=1; leSetAdvertisingEnable | 0x12 | Own_Address_Type is random, and the random address was never set
    leSetAdvertisingEnable enable=2 | 0x12 | Advertising_Enable must be 0x00 or 0x01, got 0x02
    leSetAdvertisingData length=32 | 0x12 | the data must be at most 31 bytes, got 32
    leSetScanResponseData length=32 | 0x12 | -
    leSetScanEnable; leSetRandomAddress | 0x0C | the random address must not change while advertising, scanning or initiating
    leSetAdvertisingEnable; leSetRandomAddress | 0x0C | -
    leCreateConnection; leSetRandomAddress | 0x0C | -
    leSetScanEnable; leSetExtendedScanParameters | 0x0C | legacy and extended advertising commands must not be mixed between two resets (3.1.1)
    leSetExtendedScanParameters; leSetAdvertisingParameters | 0x0C | -
    leSetExtendedScanParameters; leReadAdvertisingTxPower | 0x0C | -
    leSetExtendedScanParameters; leSetAdvertisingData | 0x0C | -
    leSetExtendedScanParameters; leSetScanResponseData | 0x0C | -
    leSetExtendedScanParameters; leSetAdvertisingEnable | 0x0C | -
    leSetExtendedScanParameters; leSetScanParameters | 0x0C | -
    leSetExtendedScanParameters; leSetScanEnable | 0x0C | -
    leSetExtendedScanParameters; leCreateConnection | 0x0C | -
    leSetScanEnable; leSetExtendedScanEnable | 0x0C | -
    leSetScanEnable; leExtendedCreateConnection | 0x0C | -
    leSetScanEnable; leSetExtendedAdvertisingParameters | 0x0C | -
    leSetScanEnable; leSetExtendedAdvertisingData | 0x0C | -
    leSetScanEnable; leSetExtendedAdvertisingEnable | 0x0C | -
    leSetScanEnable; leReadNumberOfAdvertisingSets | 0x0C | -
    leSetScanEnable; leRemoveAdvertisingSet | 0x0C | -
    leSetScanEnable; leClearAdvertisingSets | 0x0C | -
    leSetScanParameters type=2 | 0x12 | the scan type must be 0x00 or 0x01, got 0x02
    leSetScanParameters interval=3 window=3 | 0x12 | the scan interval must be 0x0004 to 0x4000, got 0x0003
    leSetScanParameters interval=0x4001 | 0x12 | the scan interval must be 0x0004 to 0x4000, got 0x4001
    leSetScanParameters window=3 | 0x12 | -
    leSetScanParameters interval=0x12 window=0x13 | 0x12 | the scan window must be 0x0004 to the interval's 0x0012, got 0x0013
    leSetScanParameters ownAddressType=4 | 0x12 | -
    leSetScanParameters ownAddressType=1; leSetScanEnable | 0x12 | -
    leSetScanParameters filterPolicy=4 | 0x12 | Scanning_Filter_Policy must be 0x00 to 0x03, got 0x04
    leSetScanEnable; leSetScanParameters | 0x0C | the scan parameters must not change while scanning
    leSetScanEnable enable=2 | 0x12 | -
    leSetScanEnable filterDuplicates=2 | 0x12 | Filter_Duplicates must be 0x00 or 0x01, got 0x02
    leCreateConnection scanInterval=3 | 0x12 | -
    leCreateConnection scanInterval=0x4001 | 0x12 | -
    leCreateConnection scanWindow=3 | 0x12 | -
    leCreateConnection scanWindow=0x61 | 0x12 | -
    leCreateConnection filterPolicy=2 | 0x12 | -
    leCreateConnection peerAddressType=4 | 0x12 | -
    leCreateConnection ownAddressType=4 | 0x12 | -
    leCreateConnection ownAddressType=1 | 0x12 | -
    leCreateConnection connectionIntervalMin=5 | 0x12 | the connection interval must be 0x0006 to 0x0C80 and its minimum at most its maximum, got 0x0005 to 0x000C
    leCreateConnection connectionIntervalMin=13 | 0x12 | -
    leCreateConnection connectionIntervalMax=3201 supervisionTimeout=3200 | 0x12 | -
    leCreateConnection maxLatency=500 supervisionTimeout=3200 | 0x12 | Max_Latency must be 0x0000 to 0x01F3, got 0x01F4
    leCreateConnection supervisionTimeout=9 | 0x12 | Supervision_Timeout must be 0x000A to 0x0C80, got 0x0009
    leCreateConnection supervisionTimeout=3201 | 0x12 | -
    leCreateConnection maxLatency=33 | 0x12 | -
    leCreateConnection maxLatency=4 supervisionTimeout=15 | 0x12 | Supervision_Timeout of 150 ms must be more than (1 + Max_Latency) × the maximum interval × 2
    leCreateConnection minCeLength=2 maxCeLength=1 | 0x12 | Min_CE_Length must be at most Max_CE_Length, got 0x0002 and 0x0001
    leSetScanParameters filterPolicy=1; leSetScanEnable; leClearFilterAcceptList | 0x0C | the filter accept list must not change while scanning uses it
    leSetAdvertisingParameters filterPolicy=1; leSetAdvertisingEnable; leClearFilterAcceptList | 0x0C | the filter accept list must not change while advertising uses it
    leCreateConnection peerAddress=${NOBODY} filterPolicy=1; leClearFilterAcceptList | 0x0C | the filter accept list must not change while initiating uses it
    leSetScanParameters filterPolicy=1; leSetScanEnable; leAddToFilterAcceptList | 0x0C | -
    leSetScanParameters filterPolicy=1; leSetScanEnable; leRemoveFromFilterAcceptList | 0x0C | -
    leAddToFilterAcceptList addressType=2 | 0x12 | Address_Type must be 0x00, 0x01 or 0xFF, got 2
    leSetDefaultPhy txPhys=0 | 0x12 | -
    leSetDefaultPhy rxPhys=0 | 0x12 | -
    leSetDefaultPhy txPhys=8 | 0x11 | -
    leSetDefaultPhy rxPhys=9 | 0x11 | -
    leSetExtendedScanParameters ownAddressType=4 | 0x12 | -
    leSetExtendedScanParameters filterPolicy=4 | 0x12 | -
    leSetExtendedScanParameters scanningPhys=0 tail=x | 0x12 | Scanning_PHYs 0x00 must name 1M (0x01) or Coded (0x04), with five bytes for each
    leSetExtendedScanParameters scanningPhys=3 | 0x11 | a controller scans on 1M and Coded only, got Scanning_PHYs 0x03
    leSetExtendedScanParameters scanningPhys=5 | 0x12 | -
    leSetExtendedScanParameters tail=x0212001200 | 0x12 | -
    leSetExtendedScanParameters tail=x0103000300 | 0x12 | -
    leSetExtendedScanParameters tail=x0112001300 | 0x12 | -
    leSetExtendedScanParameters tail=x011200 | 0x12 | -
    leSetExtendedScanParameters scanningPhys=5 tail=x01120012000212001200 | 0x12 | -
    leSetExtendedScanParameters ownAddressType=1; leSetExtendedScanEnable | 0x12 | -
    leSetExtendedScanEnable enable=2 | 0x12 | Enable must be 0x00 or 0x01, got 0x02
    leSetExtendedScanEnable filterDuplicates=3 | 0x12 | Filter_Duplicates must be 0x00 to 0x02, got 0x03
    leSetExtendedScanEnable filterDuplicates=2 duration=1 | 0x12 | duplicates are filtered by period (0x02) only with Duration and Period
    leSetExtendedScanEnable filterDuplicates=2 period=1 | 0x12 | duplicates are filtered by period (0x02) only with Duration and Period
    leSetExtendedScanEnable duration=128 period=1 | 0x12 | Duration (1280 ms) must be shorter than Period (1280 ms)
    leExtendedCreateConnection filterPolicy=2 | 0x12 | -
    leExtendedCreateConnection ownAddressType=4 | 0x12 | -
    leExtendedCreateConnection peerAddressType=4 | 0x12 | -
    leExtendedCreateConnection initiatingPhys=0 tail=x | 0x12 | -
    leExtendedCreateConnection initiatingPhys=2 | 0x12 | -
    leExtendedCreateConnection initiatingPhys=8 | 0x12 | -
    leExtendedCreateConnection initiatingPhys=5 | 0x12 | -
    leExtendedCreateConnection tail=x0300030006000C000000C80000000000 | 0x12 | -
    leExtendedCreateConnection tail=x6000610006000C000000C80000000000 | 0x12 | -
    leExtendedCreateConnection tail=x6000600005000C000000C80000000000 | 0x12 | -
    leExtendedCreateConnection initiatingPhys=5 tail=x6000600006000C000000C800000000006000600005000C000000C80000000000 | 0x12 | -
    leSetExtendedAdvertisingParameters set=0xf0 | 0x12 | Advertising_Handle must be 0x00 to 0xEF, got 0xF0
    leSetExtendedAdvertisingParameters properties=0x3 | 0x12 | extended PDUs are not both connectable and scannable, got Advertising_Event_Properties 0x0003
    leSetExtendedAdvertisingParameters properties=0x11 | 0x12 | legacy PDUs are 0x0013, 0x0015, 0x001D, 0x0012 or 0x0010, got Advertising_Event_Properties 0x0011
    leSetExtendedAdvertisingParameters properties=0x8 | 0x12 | high duty cycle is for legacy PDUs, got Advertising_Event_Properties 0x0008
    leSetExtendedAdvertisingParameters properties=0x9 | 0x12 | -
    leSetExtendedAdvertisingParameters properties=0x21 | 0x12 | anonymous advertising is neither connectable nor scannable, got Advertising_Event_Properties 0x0021
    leSetExtendedAdvertisingParameters properties=0x80 | 0x12 | bits 7 to 15 are reserved, got Advertising_Event_Properties 0x0080
    leSetExtendedAdvertisingParameters properties=0x13 primaryPhy=3 | 0x12 | -
    leSetExtendedAdvertisingParameters intervalMin=0x1f | 0x12 | -
    leSetExtendedAdvertisingParameters intervalMin=0xa1 | 0x12 | -
    leSetExtendedAdvertisingParameters channelMap=0 | 0x12 | -
    leSetExtendedAdvertisingParameters channelMap=8 | 0x12 | -
    leSetExtendedAdvertisingParameters ownAddressType=4 | 0x12 | -
    leSetExtendedAdvertisingParameters peerAddressType=2 | 0x12 | Peer_Address_Type must be 0x00 or 0x01, got 0x02
    leSetExtendedAdvertisingParameters filterPolicy=4 | 0x12 | -
    leSetExtendedAdvertisingParameters primaryPhy=2 | 0x12 | Primary_Advertising_PHY must be 0x01, or 0x03 with extended PDUs, got 0x02
    leSetExtendedAdvertisingParameters secondaryPhy=0 | 0x12 | -
    leSetExtendedAdvertisingParameters secondaryPhy=4 | 0x12 | Secondary_Advertising_PHY must be 0x01 to 0x03, got 0x04
    leSetExtendedAdvertisingParameters sid=0x10 | 0x12 | Advertising_SID must be 0x00 to 0x0F, got 0x10
    leSetExtendedAdvertisingParameters txPower=21 | 0x12 | Advertising_TX_Power must be -127 to 20, or 127 for no preference, got 21
    leSetExtendedAdvertisingParameters txPower=-128 | 0x12 | Advertising_TX_Power must be -127 to 20, or 127 for no preference, got -128
    leSetExtendedAdvertisingParameters scanRequestNotification=2 | 0x12 | Scan_Request_Notification_Enable must be 0x00 or 0x01, got 0x02
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingParameters | 0x0C | the parameters must not change while the set advertises
    leSetExtendedAdvertisingParameters properties=1; leSetExtendedAdvertisingEnable; leSetAdvertisingSetRandomAddress | 0x0C | the address of a connectable set must not change while it advertises
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=1 tail=x00; leSetExtendedAdvertisingParameters properties=2 | 0x12 | the set has data that this kind of advertising cannot carry
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable sets=2 tail=x0100000001000000 | 0x12 | a set is named twice
    leSetExtendedAdvertisingEnable tail=xF0000000 | 0x12 | -
    leSetExtendedAdvertisingEnable enable=0 tail=xF0000000 | 0x12 | -
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leRemoveAdvertisingSet | 0x0C | a set that advertises cannot be removed
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leClearAdvertisingSets | 0x0C | sets that advertise cannot be removed
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingEnable enable=0 sets=0 tail=x; leClearAdvertisingSets; leRemoveAdvertisingSet | 0x42 | there is no advertising set 0x01
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=40 tail=x${'00'.repeat(40)}; leSetExtendedAdvertisingParameters properties=0x10 | 0x12 | -
    leSetExtendedAdvertisingParameters properties=0x10; leSetExtendedAdvertisingData length=31 tail=x${'00'.repeat(31)}; leSetExtendedAdvertisingParameters properties=0x15 | 0x12 | -
    leSetExtendedAdvertisingParameters properties=0x10; leSetExtendedScanResponseData | 0x12 | -
    leSetExtendedAdvertisingParameters properties=2; leSetExtendedScanResponseData; leSetExtendedAdvertisingParameters properties=0x10 | 0x12 | -
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingData operation=4 | 0x12 | -
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=1 tail=x00; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingData operation=4 length=1 tail=x00 | 0x12 | -
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=1 tail=x00; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingEnable enable=0; leSetExtendedAdvertisingData operation=4 | 0x12 | -
    leSetExtendedAdvertisingParameters properties=2; leSetExtendedScanResponseData; leSetExtendedAdvertisingEnable; leSetExtendedScanResponseData operation=4 length=0 tail=x | 0x12 | -
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=1 tail=x00; leSetExtendedAdvertisingEnable; leSetExtendedScanResponseData operation=4 length=0 tail=x | 0x12 | -
    leRemoveAdvertisingSet set=7 | 0x42 | there is no advertising set 0x07
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData fragmentPreference=2 | 0x12 | Operation must be 0x00 to 0x04, Fragment_Preference 0x00 or 0x01
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData operation=1 | 0x12 | a part of data must not be empty
    leSetExtendedAdvertisingParameters properties=0x10; leSetExtendedAdvertisingData operation=1 length=1 tail=x00 | 0x12 | data of legacy PDUs comes in one piece (Operation 0x03)
    leSetExtendedAdvertisingParameters properties=2; leSetExtendedAdvertisingData length=1 tail=x00 | 0x12 | this kind of advertising has no advertising data
    leSetExtendedAdvertisingParameters; leSetExtendedScanResponseData | 0x12 | this kind of advertising has no scan response
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=2 tail=x00 | 0x12 | the length must be that of the data, at most 251, got 2 for 1 bytes
    leSetExtendedAdvertisingParameters properties=0x10; leSetExtendedAdvertisingData length=32 tail=x${'00'.repeat(32)} | 0x12 | there is room for 31 bytes, got 32
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingData operation=1 length=1 tail=x00 | 0x0C | while the set advertises, its data comes in one piece (Operation 0x03)
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData operation=0 length=1 tail=x00 | 0x0C | the first part (Operation 0x01) must come first
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData operation=4 | 0x12 | only the data of a set that advertises can stay unchanged (Operation 0x04), and no bytes come with it
    ${ADD} peerIdentityAddressType=2 | 0x12 | Peer_Identity_Address_Type must be 0x00 or 0x01, got 0x02
    ${ADD}; ${ADD} | 0x12 | the resolving list has D1:CE:00:00:00:01 already
    ${ADD}; ${ADD} peerIrk=x${'03'.repeat(16)} localIrk=x${'04'.repeat(16)} | 0x12 | the resolving list has D1:CE:00:00:00:01 already
    ${ADD}; ${ADD} peerIdentityAddress=C0:00:00:00:00:02 | 0x12 | the resolving list has a device with this Peer_IRK already
    leRemoveFromResolvingList | 0x02 | the resolving list has no device D1:CE:00:00:00:01
    ${ADD}; leRemoveFromResolvingList peerIdentityAddressType=1 | 0x02 | -
    leRemoveFromResolvingList peerIdentityAddressType=2 | 0x12 | -
    ${ADD}; leClearResolvingList; leRemoveFromResolvingList | 0x02 | -
    leReadPeerResolvableAddress | 0x02 | the resolving list has no device D1:CE:00:00:00:01
    leReadLocalResolvableAddress | 0x02 | -
    leReadPeerResolvableAddress peerIdentityAddressType=3 | 0x12 | -
    ${ENABLE} enable=2 | 0x12 | Address_Resolution_Enable must be 0x00 or 0x01, got 0x02
    leSetResolvableAddressTimeout timeout=0 | 0x12 | RPA_Timeout must be 0x0001 to 0x0E10, got 0x0000
    leSetResolvableAddressTimeout timeout=3601 | 0x12 | RPA_Timeout must be 0x0001 to 0x0E10, got 0x0E11
    leSetPrivacyMode | 0x02 | the resolving list has no device D1:CE:00:00:00:01
    ${ADD}; leSetPrivacyMode mode=2 | 0x12 | Privacy_Mode must be 0x00 or 0x01, got 0x02
    leSetAdvertisingParameters ownAddressType=3; ${ADVERTISE} | 0x12 | Own_Address_Type is random, and the random address was never set
    ${ADD}; leSetAdvertisingParameters ownAddressType=3 peerAddress=C0:00:00:00:00:02; ${ADVERTISE} | 0x12 | -
    ${ADD} localIrk=x${'00'.repeat(16)}; leSetAdvertisingParameters ownAddressType=3 peerAddress=D1:CE:00:00:00:01; ${ADVERTISE} | 0x12 | -
    ${ADD}; leSetScanParameters ownAddressType=3; leSetScanEnable | 0x12 | -
    ${ADD}; leCreateConnection ownAddressType=3 peerAddress=C0:00:00:00:00:02 | 0x12 | -
    ${ADD}; leCreateConnection ownAddressType=3 filterPolicy=1 | 0x12 | -
    leExtendedCreateConnection ownAddressType=3 | 0x12 | -
    leSetExtendedAdvertisingParameters ownAddressType=3; leSetExtendedAdvertisingEnable | 0x12 | -
    `,
  );
  for (const [commands, status, message] of refusals) {
    it(`refuses the last of ${commands.slice(0, 160)} with ${status}`, async () => {
      const { statuses, reports } = await outcomeOf(commands);
      expect(statuses).to.deep.equal([...statuses.slice(1).map(() => '0x00'), status]);
      expectReport(reports, message);
    });
  }

  const onALink = rows(
    3,
    `
    central disconnect reason=0x08 | 0x12 | a host must not give the Reason 0x08
    central disconnect reason=0x16 | 0x12 | -
    peripheral leEnableEncryption | 0x0C | only the central starts encryption
    central leEnableEncryption; central leEnableEncryption | 0x0C | encryption is being started
    peripheral leLongTermKeyRequestReply | 0x0C | the other side has not requested a long-term key
    peripheral leLongTermKeyRequestNegativeReply | 0x0C | -
    central leEnableEncryption; central leLongTermKeyRequestReply | 0x0C | -
    central leEnableEncryption; peripheral leLongTermKeyRequestNegativeReply; peripheral leLongTermKeyRequestReply | 0x0C | -
    peripheral leConnectionUpdate; peripheral leConnectionUpdate | 0x0C | a request for connection parameters is pending
    central leRemoteConnectionParameterRequestNegativeReply | 0x0C | the other side has not requested connection parameters
    peripheral leConnectionUpdate; central leRemoteConnectionParameterRequestReply; central leRemoteConnectionParameterRequestReply | 0x0C | -
    central leSetDataLength txOctets=26 | 0x12 | TX_Octets must be 0x001B to 0x00FB, got 0x001A
    central leSetDataLength txOctets=252 | 0x12 | -
    central leSetDataLength txTime=327 | 0x12 | -
    central leSetDataLength txTime=17041 | 0x12 | -
    central leWriteSuggestedDefaultDataLength txOctets=26 txTime=328 | 0x12 | -
    central leSetPhy txPhys=0 | 0x12 | TX_PHYS must name a PHY unless ALL_PHYS states no preference
    central leSetPhy rxPhys=8 | 0x11 | RX_PHYS must be of 1M (0x01), 2M (0x02) and Coded (0x04), got 0x08
    central leSetHostChannelClassification channelMap=x0000000000 | 0x12 | -
    central leSetHostChannelClassification channelMap=xFFFFFFFF3F | 0x12 | Channel_Map must name some of the channels 0 to 36, got ffffffff3f
    central readTransmitPowerLevel type=2 | 0x12 | Type must be 0x00 or 0x01, got 0x02
    `,
  );
  for (const [steps, status, message] of onALink) {
    it(`refuses the last of ${steps} on a link with ${status}`, async () => {
      const scene = await linked({ strict: true });
      await play(scene, `${steps} -> ${status}`);
      expectReport(reportsOf(scene.air), message);
    });
  }
});

describe('A controller without a link', () => {
  for (const [command] of rows(
    1,
    `
    leSetAdvertisingParameters intervalMin=0x20 intervalMax=0x4000
    leSetAdvertisingParameters peerAddressType=1
    leSetAdvertisingData length=31 data=x${'00'.repeat(31)}
    leSetScanParameters interval=4 window=4
    leSetScanParameters interval=0x4000 window=0x4000
    leCreateConnection connectionIntervalMin=6 connectionIntervalMax=6 maxLatency=0 supervisionTimeout=10
    leCreateConnection connectionIntervalMin=3199 connectionIntervalMax=3200 maxLatency=0 supervisionTimeout=3200
    leCreateConnection connectionIntervalMin=6 connectionIntervalMax=6 maxLatency=499 supervisionTimeout=3200
    leSetExtendedAdvertisingParameters set=0xef
    leSetExtendedAdvertisingParameters sid=0x0f
    leSetExtendedAdvertisingParameters txPower=-127
    leSetExtendedAdvertisingParameters txPower=20
    leSetExtendedScanEnable duration=127 period=1
    leSetExtendedScanParameters; reset; leSetAdvertisingParameters
    leReadMaximumAdvertisingDataLength; leSetExtendedAdvertisingParameters
    leSetAdvertisingEnable; leSetAdvertisingEnable enable=0; leSetAdvertisingParameters
    leSetExtendedAdvertisingParameters properties=2; leSetExtendedScanResponseData; leSetExtendedAdvertisingParameters properties=2
    leSetExtendedAdvertisingParameters properties=1; leSetExtendedAdvertisingData operation=1 length=200 tail=x${'00'.repeat(200)}; leSetExtendedAdvertisingData length=100 tail=x${'00'.repeat(100)}
    leSetAdvertisingEnable; leAddToFilterAcceptList
    leSetScanEnable; leAddToFilterAcceptList
    leCreateConnection; leAddToFilterAcceptList
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leSetAdvertisingSetRandomAddress
    leSetExtendedAdvertisingParameters properties=0x13; leSetExtendedAdvertisingData length=31 tail=x${'00'.repeat(31)}; leSetExtendedAdvertisingParameters properties=0x10
    leSetExtendedAdvertisingParameters properties=1; leSetExtendedAdvertisingData length=245 tail=x${'00'.repeat(245)}
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingData length=40 tail=x${'00'.repeat(40)}; leSetExtendedAdvertisingData; leSetExtendedAdvertisingParameters properties=0x10
    leSetExtendedAdvertisingParameters properties=2; leSetExtendedScanResponseData; leSetExtendedAdvertisingParameters properties=0x12
    leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable; leSetExtendedAdvertisingData length=1 tail=x00; leSetExtendedAdvertisingData operation=4
    ${ADD} peerIrk=x${'00'.repeat(16)}; ${ADD} peerIdentityAddress=C0:00:00:00:00:02 peerIrk=x${'00'.repeat(16)}
    ${ADD}; ${ADD} peerIdentityAddressType=1 peerIrk=x${'03'.repeat(16)}
    ${ADD}; leRemoveFromResolvingList; ${ADD}
    ${ENABLE}; ${ENABLE}; ${ENABLE} enable=0
    ${ADD}; ${ENABLE}; leClearResolvingList
    leSetResolvableAddressTimeout timeout=1; leSetResolvableAddressTimeout timeout=3600
    ${ADVERTISE}; leSetResolvableAddressTimeout
    leSetAdvertisingParameters ownAddressType=2; ${ADVERTISE}
    ${ADD}; leSetAdvertisingParameters ownAddressType=3 peerAddress=D1:CE:00:00:00:01; ${ADVERTISE}
    leSetRandomAddress; leSetAdvertisingParameters ownAddressType=3; ${ADVERTISE}
    leSetScanParameters ownAddressType=2 filterPolicy=2; leSetScanEnable
    leSetExtendedScanParameters ownAddressType=2 filterPolicy=3; leSetExtendedScanEnable
    leCreateConnection ownAddressType=2 peerAddressType=2
    ${ADD}; leCreateConnection ownAddressType=3
    leSetRandomAddress; leCreateConnection ownAddressType=3 filterPolicy=1 peerAddress=${NOBODY}
    leExtendedCreateConnection ownAddressType=2 peerAddressType=3
    ${ADD}; leSetExtendedAdvertisingParameters ownAddressType=3 peerAddress=D1:CE:00:00:00:01; leSetExtendedAdvertisingEnable
    `,
  )) {
    it(`accepts ${command.slice(0, 160)}`, async () => {
      const { statuses, reports } = await outcomeOf(command);
      expect(statuses).to.deep.equal(statuses.map(() => '0x00'));
      expect(reports).to.deep.equal([]);
    });
  }
});

describe('The resolving list', () => {
  for (const [begin, user] of USERS) {
    for (const change of CHANGES) {
      it(`refuses ${change} with 0x0C after ${begin} while addresses are resolved`, async () => {
        const { statuses, reports } = await outcomeOf(`${ADD}; ${ENABLE}; ${begin}; ${change}`);
        expect(statuses.at(-1)).to.equal('0x0C');
        expect(reports).to.deep.equal([
          `with address resolution enabled, the resolving list must not change while ${user}`,
        ]);
      });

      it(`accepts ${change} after ${begin} while addresses are not resolved`, async () => {
        const { statuses, reports } = await outcomeOf(`${ADD}; ${begin}; ${change}`);
        expect(statuses.at(-1)).to.equal('0x00');
        expect(reports).to.deep.equal([]);
      });
    }

    for (const enable of [0, 1]) {
      it(`refuses ${ENABLE} enable=${enable} with 0x0C after ${begin}`, async () => {
        const { statuses, reports } = await outcomeOf(`${begin}; ${ENABLE} enable=${enable}`);
        expect(statuses.at(-1)).to.equal('0x0C');
        expect(reports).to.deep.equal([`address resolution must not change while ${user}`]);
      });
    }
  }
});

describe('The room of a resolving list', () => {
  it('is for 16 devices: one more is refused with 0x07, and a removed one leaves room', async () => {
    const { central } = await pair();
    const { size = 0 } = (await central.returned('leReadResolvingListSize', {})) ?? {};
    expect(size).to.equal(16);
    const nth = (number: number): string => {
      const octet = number.toString(16).padStart(2, '0').toUpperCase();
      return `peerIdentityAddress=C0:00:00:00:00:${octet} peerIrk=x${octet.repeat(16)}`;
    };
    for (let number = 1; number <= size; number++)
      expect(await send(central, `${ADD} ${nth(number)}`)).to.equal(0);
    expect(await send(central, `${ADD} ${nth(size + 1)}`)).to.equal(0x07);
    expect(await send(central, 'leRemoveFromResolvingList peerIdentityAddress=C0:00:00:00:00:03')).to.equal(
      0,
    );
    expect(await send(central, `${ADD} ${nth(size + 1)}`)).to.equal(0);
  });
});

describe('A lenient controller', () => {
  it('refuses like a strict controller', async () => {
    const host = await hostOn(stillAir().air, { address: CENTRAL });
    expect(await send(host, 'leSetAdvertisingParameters type=5')).to.equal(0x12);
    expect(await send(host, 'leSetDefaultPhy txPhys=8')).to.equal(0x11);
  });
});
