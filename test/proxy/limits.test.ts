/** Requests, devices and clients that ask too much of a proxy. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { AttError } from '../../src/ble/hci/att.js';
import { Status } from '../../src/ble/hci/status.js';
import { createPeripheral } from '../../simulators/peripheral/index.js';
import { VirtualSocket } from '../../simulators/radio/index.js';
import {
  addressNumber,
  DeviceRequestType,
  ProxyError,
  type AnyMessage,
} from '../../src/protocols/esphome/index.js';
import type { Proxy } from '../../src/proxy/server.js';
import { openApiClient, type ApiClient } from '../support/api-client.js';
import { DEVICE, Fixture } from '../support/bluetooth-fixture.js';
import { openProxy } from '../support/bluetooth-proxy.js';
import { manualTime } from '../support/manual-time.js';

const KEY = Buffer.alloc(32, 5);
const address = addressNumber(DEVICE);

describe('A proxy', () => {
  let fixture: Fixture;
  let proxy: Proxy;
  let client: ApiClient;
  const time = manualTime();

  beforeEach(async () => {
    fixture = await Fixture.open();
    proxy = await openProxy(fixture, { time, key: KEY });
    client = await openApiClient(proxy.port, KEY);
    await client.ask('SubscribeAdvertisementsRequest', {}, 'ScannerStateResponse');
  });

  afterEach(async () => {
    await client.end();
    await proxy.close();
    await fixture.close();
  });

  const connectDevice = (): Promise<AnyMessage> =>
    client.ask(
      'DeviceRequest',
      { address, requestType: DeviceRequestType.connect },
      'DeviceConnectionResponse',
    );

  it('refuses connection parameters that no command of a controller can have (Core 5.4 Vol 4 Part E 7.8.18)', async () => {
    await fixture.device();
    expect((await connectDevice()).message).to.deep.include({ connected: true });
    const parameters = { address, minInterval: 24, maxInterval: 40, latency: 0, timeout: 400 };
    const change = (wrong: object): Promise<AnyMessage> =>
      client.ask('SetConnectionParamsRequest', { ...parameters, ...wrong }, 'SetConnectionParamsResponse');
    for (const wrong of [
      { minInterval: 5 },
      { maxInterval: 0xc81 },
      { maxInterval: 0xffff_ffff },
      { minInterval: 41 },
      { latency: 500 },
      { timeout: 0x1_0000 },
      // At most the supervision timeout: (1 + 79) * 50 ms * 2.
      { latency: 79, timeout: 800 },
    ])
      expect((await change(wrong)).message, JSON.stringify(wrong)).to.deep.include({
        error: Status.invalidParameters,
      });
    expect((await change({})).message).to.deep.include({ error: 0 });
  });

  it('refuses handles of more than 16 bits, and commands that are longer than the MTU allows', async () => {
    await fixture.device();
    await connectDevice();
    const handle = 0x1_0003;
    const answers = ['GattErrorResponse', 'ReadResponse', 'WriteResponse', 'NotifyResponse'] as const;
    const refused = [
      await client.ask('ReadRequest', { address, handle }, ...answers),
      await client.ask('WriteRequest', { address, handle, data: Buffer.of(1) }, ...answers),
      await client.ask('NotifyRequest', { address, handle, enable: true }, ...answers),
    ];
    for (const { name, message } of refused)
      expect({ name, ...message }).to.deep.include({
        ...{ name: 'GattErrorResponse', handle, error: AttError.invalidHandle },
      });
    const { message: long } = await client.ask(
      'WriteRequest',
      { address, handle: 3, data: Buffer.alloc(254) },
      ...(['GattErrorResponse', 'WriteResponse'] as const),
    );
    expect(long).to.deep.include({ error: ProxyError.failed });
  });

  it('refuses the services of a device whose list fits no message, and goes on', async () => {
    const virtual = new VirtualSocket(fixture.air, { address: DEVICE, maxLinks: 1 });
    const peripheral = createPeripheral({
      socket: virtual,
      name: 'device',
      services: [
        {
          uuid: 'abcd',
          characteristics: Array.from({ length: 3000 }, (_, at) => ({
            uuid: `${at.toString(16).padStart(8, '0')}a1b2c3d4a1b2c3d4a1b2c3d4`,
            properties: ['read' as const],
          })),
        },
      ],
    });
    peripheral.advertise(Buffer.from('020106', 'hex'), Buffer.alloc(0));
    await peripheral.ready;
    expect((await connectDevice()).message).to.deep.include({ connected: true });
    const { name, message } = await client.ask(
      ...(['GetServicesRequest', { address }, 'GetServicesDoneResponse', 'GattErrorResponse'] as const),
    );
    expect({ name, ...message }).to.deep.include({ name: 'GattErrorResponse', error: ProxyError.failed });
    expect((await client.ask('DeviceInfoRequest', {}, 'DeviceInfoResponse')).name).to.equal(
      'DeviceInfoResponse',
    );
    peripheral.close();
    virtual.detach();
  });
});
