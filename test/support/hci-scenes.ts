/** Frequent actions of hosts: advertise, scan, connect. */
import type { CommandParameters } from '../../src/ble/hci/commands.js';
import { EventCode } from '../../src/ble/hci/packets.js';
import { Air, type AirOptions, type ControllerOptions } from '../../simulators/radio/index.js';
import { HciHost, bytes, isEvent, otherTurns, type AirHost } from './hci-host.js';
import { manualTime } from './manual-time.js';

export const CENTRAL = '02:A1:B0:00:00:01';
export const PERIPHERAL = 'D1:CE:00:00:00:01';
export const NOBODY = '00:00:00:00:00:00';

export const advertisingParameters: CommandParameters<'leSetAdvertisingParameters'> = {
  intervalMin: 0x00a0,
  intervalMax: 0x00a0,
  type: 0,
  ownAddressType: 0,
  peerAddressType: 0,
  peerAddress: NOBODY,
  channelMap: 7,
  filterPolicy: 0,
};

export const scanParameters: CommandParameters<'leSetScanParameters'> = {
  type: 1,
  interval: 0x0010,
  window: 0x0010,
  ownAddressType: 0,
  filterPolicy: 0,
};

/** Intervals of 7.5 ms (6 × 1.25), supervision timeout of 1 s (100 × 10). */
export const connectionTo = (peerAddress: string): CommandParameters<'leCreateConnection'> => ({
  scanInterval: 0x0060,
  scanWindow: 0x0030,
  filterPolicy: 0,
  peerAddressType: 0,
  peerAddress,
  ownAddressType: 0,
  connectionIntervalMin: 6,
  connectionIntervalMax: 12,
  maxLatency: 0,
  supervisionTimeout: 100,
  minCeLength: 0,
  maxCeLength: 0,
});

/** Other parameters for a link: intervals of 30 to 50 ms, supervision timeout of 3 s. */
export const UPDATE = {
  connectionIntervalMin: 24,
  connectionIntervalMax: 40,
  maxLatency: 3,
  supervisionTimeout: 300,
  minCeLength: 0,
  maxCeLength: 0,
};

/** Flags and the name `A`. */
export const ADVERTISEMENT = bytes('02 01 06 02 09 41');
export const SCAN_RESPONSE = bytes('03 03 00 18');

/** A host on a new controller of `air`, with its events enabled. */
export const hostOn = async (air: Air, options: ControllerOptions): Promise<AirHost> => {
  const host = HciHost.on(air, options);
  await host.begin();
  host.take();
  return host;
};

export const advertise = async (
  host: HciHost,
  parameters: Partial<CommandParameters<'leSetAdvertisingParameters'>> = {},
  data = ADVERTISEMENT,
  response = SCAN_RESPONSE,
): Promise<void> => {
  await host.status('leSetAdvertisingParameters', { ...advertisingParameters, ...parameters });
  await host.status('leSetAdvertisingData', { length: data.length, data });
  await host.status('leSetScanResponseData', { length: response.length, data: response });
  await host.status('leSetAdvertisingEnable', { enable: 1 });
};

/** Scans, and waits for the first reports. */
export const scan = async (
  host: HciHost,
  filterDuplicates: number,
  parameters: Partial<CommandParameters<'leSetScanParameters'>> = {},
): Promise<void> => {
  await host.status('leSetScanParameters', { ...scanParameters, ...parameters });
  await host.status('leSetScanEnable', { enable: 1, filterDuplicates });
  await otherTurns();
};

/** An air whose time stands still until a test advances it. */
export const stillAir = (options: AirOptions = {}) => {
  const time = manualTime();
  return { air: new Air({ time, ...options }), time };
};

/** Two hosts in a still air, both silent. */
export const pair = async (options: AirOptions = {}, central: Partial<ControllerOptions> = {}) => {
  const { air, time } = stillAir(options);
  const c = await hostOn(air, { address: CENTRAL, name: 'hci0', ...central });
  const p = await hostOn(air, { address: PERIPHERAL, name: 'die', maxLinks: 1 });
  return { air, time, central: c, peripheral: p };
};

/** Two hosts with a link between them; each side has its own handle. */
export const linked = async (
  options: AirOptions = {},
  parameters: Partial<CommandParameters<'leCreateConnection'>> = {},
) => {
  const { air, time, central, peripheral } = await pair(options);
  await advertise(peripheral);
  await central.status('leCreateConnection', { ...connectionTo(PERIPHERAL), ...parameters });
  // At real pace the next advertisement comes within the interval of 100 ms and 10 ms of chance.
  time.advance(110);
  const [toPeripheral, toCentral] = await Promise.all([central.connected(), peripheral.connected()]);
  return {
    air,
    time,
    central,
    peripheral,
    centralHandle: toPeripheral.handle,
    peripheralHandle: toCentral.handle,
    hearsEnd: (host: HciHost) => host.received.some(isEvent(EventCode.disconnectionComplete)),
  };
};
