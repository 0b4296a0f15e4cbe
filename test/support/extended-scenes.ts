/** Frequent actions of hosts with the extended commands. */
import type { CommandParameters } from '../../src/ble/hci/commands.js';
import { bytes, otherTurns, type AirHost } from './hci-host.js';
import { NOBODY } from './hci-scenes.js';

/** Set 1: connectable extended PDUs on 1M both, SID 5, every 100 ms. */
export const setParameters: CommandParameters<'leSetExtendedAdvertisingParameters'> = {
  set: 1,
  properties: 0x0001,
  intervalMin: 0xa0,
  intervalMax: 0xa0,
  channelMap: 7,
  ownAddressType: 0,
  peerAddressType: 0,
  peerAddress: NOBODY,
  filterPolicy: 0,
  txPower: 0x7f,
  primaryPhy: 1,
  secondaryMaxSkip: 0,
  secondaryPhy: 1,
  sid: 5,
  scanRequestNotification: 0,
};

/** Data of a set in one piece, as the command takes it. */
export const whole = (tail: Buffer, set = 1): CommandParameters<'leSetExtendedAdvertisingData'> => ({
  set,
  operation: 3,
  fragmentPreference: 1,
  length: tail.length,
  tail,
});

/** Set 1, for ever unless `limits` (duration, 2 bytes; events, 1 byte) say otherwise. */
export const enableSet = (
  limits = '00 00 00',
  set = '01',
): CommandParameters<'leSetExtendedAdvertisingEnable'> => ({
  enable: 1,
  sets: 1,
  tail: bytes(`${set} ${limits}`),
});

/** Statuses of making a set, giving it data, and enabling it. */
export const advertiseSet = async (
  host: AirHost,
  parameters: Partial<typeof setParameters> = {},
  data: Buffer = bytes('02 01 06'),
  limits = '00 00 00',
): Promise<readonly number[]> => [
  await host.status('leSetExtendedAdvertisingParameters', { ...setParameters, ...parameters }),
  await host.status('leSetExtendedAdvertisingData', whole(data)),
  await host.status('leSetExtendedAdvertisingEnable', enableSet(limits)),
];

export const extendedScanParameters: CommandParameters<'leSetExtendedScanParameters'> = {
  ownAddressType: 0,
  filterPolicy: 0,
  scanningPhys: 1,
  tail: bytes('01 12 00 12 00'),
};

/** Statuses of scanning, after the first reports. */
export const extendedScan = async (
  host: AirHost,
  parameters: Partial<typeof extendedScanParameters> = {},
  limits: Partial<CommandParameters<'leSetExtendedScanEnable'>> = {},
): Promise<readonly number[]> => {
  const statuses = [
    await host.status('leSetExtendedScanParameters', { ...extendedScanParameters, ...parameters }),
    await host.status('leSetExtendedScanEnable', {
      ...{ enable: 1, filterDuplicates: 0, duration: 0, period: 0 },
      ...limits,
    }),
  ];
  await otherTurns();
  return statuses;
};

export const stopExtendedScan = (host: AirHost): Promise<number> =>
  host.status('leSetExtendedScanEnable', { enable: 0, filterDuplicates: 0, duration: 0, period: 0 });

/** On 1M, with intervals of 7.5 ms and a supervision timeout of 1 s. */
export const extendedConnectionTo = (
  peerAddress: string,
): CommandParameters<'leExtendedCreateConnection'> => ({
  filterPolicy: 0,
  ownAddressType: 0,
  peerAddressType: 0,
  peerAddress,
  initiatingPhys: 1,
  tail: bytes('60 00 60 00 06 00 0C 00 00 00 64 00 00 00 00 00'),
});
