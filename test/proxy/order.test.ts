/**
 * The order of messages about links: ESPHome reports a link (69), then the slots (81); the slot of a link that has ended is
 * free in between (`esphome/components/bluetooth_proxy/bluetooth_connection.cpp`). habluetooth takes an end that comes after
 * its slot is free for the outcome of its next attempt.
 */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  type AnyMessage,
} from '../../src/protocols/esphome/index.js';
import type { Proxy } from '../../src/proxy/server.js';
import { openApiClient, type ApiClient } from '../support/api-client.js';
import { DEVICE, Fixture, OTHER_DEVICE } from '../support/bluetooth-fixture.js';
import { openProxy } from '../support/bluetooth-proxy.js';

const NO_DEVICE = 'D1:CE:00:00:00:99';

const inWords = ({ name, message }: AnyMessage): readonly string[] => {
  if (name === 'DeviceConnectionResponse')
    return [
      `69 ${addressText(message.address)} ${message.connected ? 'connected' : `ended ${message.error}`}`,
    ];
  if (name === 'ConnectionsFreeResponse')
    return [`81 ${message.free}/${message.limit} ${message.allocated.map(addressText).join()}`.trim()];
  return [];
};

describe('A proxy', () => {
  let fixture: Fixture;
  let proxy: Proxy;
  let client: ApiClient;

  beforeEach(async () => {
    fixture = await Fixture.open();
    proxy = await openProxy(fixture, { slots: 2 });
    client = await openApiClient(proxy.port);
    await client.ask('SubscribeAdvertisementsRequest', {}, 'ScannerStateResponse');
    await client.ask('SubscribeConnectionsFreeRequest', {}, 'ConnectionsFreeResponse');
  });

  afterEach(async () => {
    await client.end();
    await proxy.close();
    await fixture.close();
  });

  const request = (requestType: number, device = DEVICE): boolean =>
    client.send('DeviceRequest', { address: addressNumber(device), requestType });

  /** Takes so many messages about links and slots. */
  const reports = async (count: number): Promise<readonly string[]> => {
    const taken: string[] = [];
    while (taken.length < count)
      taken.push(...inWords(await client.next('DeviceConnectionResponse', 'ConnectionsFreeResponse')));
    await client.settled();
    return [...taken, ...client.received.flatMap(inWords)];
  };

  const connect = async (device = DEVICE): Promise<void> => {
    request(DeviceRequestType.connect, device);
    await reports(3);
  };

  const expectNoLinkWithoutClient = async (): Promise<void> => {
    await client.end();
    const another = await openApiClient(proxy.port);
    while (proxy.devices.length > 0) await another.settled();
    expect(fixture.server.list().map(({ devices }) => devices)).to.deep.equal([[]]);
    await another.end();
  };

  it('reports a new link, then the slots', async () => {
    await fixture.device();
    request(DeviceRequestType.connect);
    const made = ['81 1/2 D1:CE:00:00:00:01', '69 D1:CE:00:00:00:01 connected', '81 1/2 D1:CE:00:00:00:01'];
    expect(await reports(3)).to.deep.equal(made);
    request(DeviceRequestType.connectWithCache);
    expect(await reports(2)).to.deep.equal(made.slice(1));
  });

  it('reports the end of a link that the device ends, then its free slot', async () => {
    const device = await fixture.device();
    await fixture.device({ address: OTHER_DEVICE });
    await connect();
    await connect(OTHER_DEVICE);
    device.disconnect();
    expect(await reports(2)).to.deep.equal(['69 D1:CE:00:00:00:01 ended 19', '81 1/2 D1:CE:00:00:00:02']);
  });

  for (const [what, act, expected] of [
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
        fixture.air.faults.add({ type: 'failed_establishment', device: DEVICE });
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
      'an absent link as ended, then the slots',
      () => request(DeviceRequestType.disconnect),
      ['69 D1:CE:00:00:00:01 ended 0', '81 2/2'],
    ],
    [
      'the ends of all links when its adapter is gone',
      async () => {
        await connect();
        fixture.server.power('hci0', false);
      },
      ['69 D1:CE:00:00:00:01 ended -1', '81 2/2'],
    ],
  ] as const)
    it(`reports ${what}`, async () => {
      await fixture.device();
      await act();
      expect(await reports(expected.length)).to.deep.equal(expected);
    });

  it('reports as many addresses as slots are in use, with the slots of others', async () => {
    await fixture.device();
    proxy.reserve(1);
    expect(await reports(1)).to.deep.equal(['81 1/2 F0:00:00:00:00:00']);
    request(DeviceRequestType.connect);
    expect((await reports(3))[2]).to.equal('81 0/2 D1:CE:00:00:00:01,F0:00:00:00:00:00');
    proxy.reserve(2);
    expect(await reports(1)).to.deep.equal(['81 0/2 D1:CE:00:00:00:01,F0:00:00:00:00:00']);
    expect(proxy.devices).to.deep.equal([DEVICE]);
  });

  it('reports error 0 for a device if all slots are in use', async () => {
    request(DeviceRequestType.connect, NO_DEVICE);
    request(DeviceRequestType.connect, OTHER_DEVICE);
    await reports(2);
    request(DeviceRequestType.connect);
    expect(await reports(1)).to.deep.equal(['69 D1:CE:00:00:00:01 ended 0']);
  });

  it('reports the ends of all links before it ends', async () => {
    await fixture.device();
    await connect();
    await Promise.all([proxy.close(), client.ended]);
    expect(client.received.flatMap(inWords)).to.deep.equal(['69 D1:CE:00:00:00:01 ended 22', '81 2/2']);
  });

  it('ends the links and attempts of a client that has gone', async () => {
    await fixture.device();
    await connect();
    request(DeviceRequestType.connect, NO_DEVICE);
    await reports(1);
    await expectNoLinkWithoutClient();
  });

  it('ends a link that is made after the client has gone', async () => {
    await fixture.device();
    fixture.air.faults.add({ type: 'delay', device: 'hci0', stage: 'event', ms: 50 });
    request(DeviceRequestType.connectWithCache);
    await reports(1);
    await expectNoLinkWithoutClient();
  });
});
