/**
 * Requests of clients, and the order of messages about links: ESPHome reports a link (69), then the slots (81), and frees the slot of
 * an ended link in between (`esphome/components/bluetooth_proxy/bluetooth_connection.cpp`). habluetooth mistakes an end that comes
 * after its slot is free for the outcome of its next attempt.
 */
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { AttError } from '../../src/ble/hci/att.js';
import { Status } from '../../src/ble/hci/status.js';
import {
  addressNumber,
  DeviceRequestType,
  ProxyError,
  type AnyMessage,
} from '../../src/protocols/esphome/index.js';
import { DEVICE, OTHER_DEVICE } from '../support/bluetooth-fixture.js';
import { linksInWords, useProxy } from '../support/bluetooth-proxy.js';

const address = addressNumber(DEVICE);
const NO_DEVICE = 'D1:CE:00:00:00:99';

describe('A proxy', () => {
  const stage = useProxy({ slots: 2 });
  const request = stage.request.bind(stage);

  beforeEach(async () => {
    const { client } = stage;
    await client.ask('SubscribeAdvertisementsRequest', {}, 'ScannerStateResponse');
    await client.ask('SubscribeConnectionsFreeRequest', {}, 'ConnectionsFreeResponse');
  });

  /** Receives `count` messages about links and slots, in words. */
  const reports = async (count: number): Promise<readonly string[]> => {
    const taken: string[] = [];
    while (taken.length < count)
      taken.push(
        ...linksInWords(await stage.client.next('DeviceConnectionResponse', 'ConnectionsFreeResponse')),
      );
    await stage.client.settled();
    return [...taken, ...stage.client.received.flatMap(linksInWords)];
  };

  const connect = async (device = DEVICE): Promise<void> => {
    request(DeviceRequestType.connect, device);
    await reports(3);
  };

  const expectNoLinkWithoutClient = async (): Promise<void> => {
    await stage.client.end();
    const another = await stage.another();
    while (stage.proxy.devices.length > 0) await another.settled();
    expect(stage.fixture.server.list().map(({ devices }) => devices)).to.deep.equal([[]]);
  };

  it('reports a new link, then the slots', async () => {
    await stage.fixture.device();
    request(DeviceRequestType.connect);
    const made = ['81 1/2 D1:CE:00:00:00:01', '69 D1:CE:00:00:00:01 connected', '81 1/2 D1:CE:00:00:00:01'];
    expect(await reports(3)).to.deep.equal(made);
    request(DeviceRequestType.connectWithCache);
    expect(await reports(2)).to.deep.equal(made.slice(1));
  });

  it('reports the end of a link that the device ends, then its free slot', async () => {
    const device = await stage.fixture.device();
    await stage.fixture.device({ address: OTHER_DEVICE });
    await connect();
    await connect(OTHER_DEVICE);
    device.disconnect();
    expect(await reports(2)).to.deep.equal(['69 D1:CE:00:00:00:01 ended 19', '81 1/2 D1:CE:00:00:00:02']);
  });

  for (const [event, act, expected] of [
    [
      'the end of a link that the client ends, then its free slot',
      async () => {
        await connect();
        request(DeviceRequestType.disconnect);
      },
      ['69 D1:CE:00:00:00:01 ended 22', '81 2/2'],
    ],
    [
      'an attempt that fails, then its free slot',
      () => {
        stage.fixture.air.faults.add({ type: 'failed_establishment', device: DEVICE });
        request(DeviceRequestType.connect);
      },
      ['81 1/2 D1:CE:00:00:00:01', '69 D1:CE:00:00:00:01 ended 62', '81 2/2'],
    ],
    [
      'an attempt that the client gives up, then its free slot',
      () => {
        request(DeviceRequestType.connect, NO_DEVICE);
        request(DeviceRequestType.disconnect, NO_DEVICE);
      },
      ['81 1/2 D1:CE:00:00:00:99', '69 D1:CE:00:00:00:99 ended 22', '81 2/2'],
    ],
    [
      'the end of a link that does not exist, then the slots',
      () => request(DeviceRequestType.disconnect),
      ['69 D1:CE:00:00:00:01 ended 0', '81 2/2'],
    ],
    [
      'the ends of all links when its adapter is gone',
      async () => {
        await connect();
        stage.fixture.server.power('hci0', false);
      },
      ['69 D1:CE:00:00:00:01 ended -1', '81 2/2'],
    ],
  ] as const)
    it(`reports ${event}`, async () => {
      await stage.fixture.device();
      await act();
      expect(await reports(expected.length)).to.deep.equal(expected);
    });

  it('reports an address for each used slot, including reserved slots', async () => {
    await stage.fixture.device();
    stage.proxy.reserve(1);
    expect(await reports(1)).to.deep.equal(['81 1/2 F0:00:00:00:00:00']);
    request(DeviceRequestType.connect);
    expect((await reports(3))[2]).to.equal('81 0/2 D1:CE:00:00:00:01,F0:00:00:00:00:00');
    stage.proxy.reserve(2);
    expect(await reports(1)).to.deep.equal(['81 0/2 D1:CE:00:00:00:01,F0:00:00:00:00:00']);
    expect(stage.proxy.devices).to.deep.equal([DEVICE]);
  });

  it('reports error 0 for a connect if all slots are in use', async () => {
    request(DeviceRequestType.connect, NO_DEVICE);
    request(DeviceRequestType.connect, OTHER_DEVICE);
    await reports(2);
    request(DeviceRequestType.connect);
    expect(await reports(1)).to.deep.equal(['69 D1:CE:00:00:00:01 ended 0']);
  });

  it('reports the ends of all links before it ends', async () => {
    await stage.fixture.device();
    await connect();
    await Promise.all([stage.proxy.close(), stage.client.ended]);
    expect(stage.client.received.flatMap(linksInWords)).to.deep.equal([
      '69 D1:CE:00:00:00:01 ended 22',
      '81 2/2',
    ]);
  });

  it('ends the links and attempts of a client that has gone', async () => {
    await stage.fixture.device();
    await connect();
    request(DeviceRequestType.connect, NO_DEVICE);
    await reports(1);
    await expectNoLinkWithoutClient();
  });

  it('ends a link that is made after the client has gone', async () => {
    await stage.fixture.device();
    stage.fixture.air.faults.add({ type: 'delay', device: 'hci0', stage: 'event', ms: 50 });
    request(DeviceRequestType.connectWithCache);
    await reports(1);
    await expectNoLinkWithoutClient();
  });

  it('refuses connection parameters that no command of a controller can have (Core 5.4 Vol 4 Part E 7.8.18)', async () => {
    await stage.fixture.device();
    expect(await stage.connectDevice()).to.deep.include({ connected: true });
    const parameters = { address, minInterval: 24, maxInterval: 40, latency: 0, timeout: 400 };
    const change = (wrong: object): Promise<AnyMessage> =>
      stage.client.ask(
        'SetConnectionParamsRequest',
        { ...parameters, ...wrong },
        'SetConnectionParamsResponse',
      );
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

  it('refuses handles of more than 16 bits, and commands longer than the MTU allows', async () => {
    await stage.fixture.device();
    await stage.connectDevice();
    const handle = 0x1_0003;
    const answers = ['GattErrorResponse', 'ReadResponse', 'WriteResponse', 'NotifyResponse'] as const;
    const refused = [
      await stage.client.ask('ReadRequest', { address, handle }, ...answers),
      await stage.client.ask('WriteRequest', { address, handle, data: Buffer.of(1) }, ...answers),
      await stage.client.ask('NotifyRequest', { address, handle, enable: true }, ...answers),
    ];
    for (const { name, message } of refused)
      expect({ name, ...message }).to.deep.include({
        ...{ name: 'GattErrorResponse', handle, error: AttError.invalidHandle },
      });
    const { message: long } = await stage.client.ask(
      'WriteRequest',
      { address, handle: 3, data: Buffer.alloc(254) },
      ...(['GattErrorResponse', 'WriteResponse'] as const),
    );
    expect(long).to.deep.include({ error: ProxyError.failed });
  });

  it('refuses to list services that do not fit a message, and goes on', async () => {
    const characteristics = Array.from({ length: 3000 }, (_, at) => ({
      uuid: `${at.toString(16).padStart(8, '0')}a1b2c3d4a1b2c3d4a1b2c3d4`,
      properties: ['read' as const],
    }));
    await stage.fixture.device({ services: [{ uuid: 'abcd', characteristics }] });
    expect(await stage.connectDevice()).to.deep.include({ connected: true });
    const { name, message } = await stage.client.ask(
      ...(['GetServicesRequest', { address }, 'GetServicesDoneResponse', 'GattErrorResponse'] as const),
    );
    expect({ name, ...message }).to.deep.include({ name: 'GattErrorResponse', error: ProxyError.failed });
    await stage.client.settled();
  });
});
