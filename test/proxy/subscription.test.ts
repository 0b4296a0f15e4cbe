/** Clients of one proxy, of which one receives messages about Bluetooth, as with ESPHome (`bluetooth_proxy.cpp`). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { ProxySubscriber } from '../../src/contract/proxies.js';
import {
  addressNumber,
  DeviceRequestType,
  ScannerMode,
  ScannerState,
} from '../../src/protocols/esphome/index.js';
import { openApiClient, type ApiClient } from '../support/api-client.js';
import { DEVICE, Fixture, OTHER_DEVICE } from '../support/bluetooth-fixture.js';
import { closedAfterEach, openProxy } from '../support/bluetooth-proxy.js';

const RUNNING = { state: ScannerState.running, mode: ScannerMode.active, configuredMode: ScannerMode.active };
const address = addressNumber(DEVICE);
const NO_DEVICE = 'D1:CE:00:00:00:99';

describe('The subscription to a proxy', () => {
  let fixture: Fixture;
  const open = closedAfterEach();

  beforeEach(async () => {
    fixture = await Fixture.open();
    open.push(() => fixture.close());
    await fixture.device();
    await fixture.device({ address: OTHER_DEVICE });
  });

  const start = async (subscriber?: ProxySubscriber) => {
    const proxy = await openProxy(fixture, { slots: 3, ...(subscriber !== undefined && { subscriber }) });
    open.push(proxy.close);
    return {
      proxy,
      client: async (): Promise<ApiClient> => {
        const client = await openApiClient(proxy.port);
        open.push(client.end);
        return client;
      },
    };
  };

  const subscribe = async (client: ApiClient): Promise<void> => {
    client.send('SubscribeAdvertisementsRequest', { flags: 1 });
    await client.settled();
  };

  const heard = (client: ApiClient) => client.next('RawAdvertisementsResponse');

  const connectDevice = (client: ApiClient) =>
    client.ask(
      'DeviceRequest',
      { address, requestType: DeviceRequestType.connect },
      'DeviceConnectionResponse',
    );

  it('is answered with the state of the scanner, as is a request for another mode', async () => {
    const client = await (await start()).client();
    client.send('ScannerSetModeRequest', { mode: ScannerMode.passive });
    await client.settled();
    expect(client.received).to.deep.equal([]);
    await subscribe(client);
    expect(client.received[0]?.name).to.equal('ScannerStateResponse');
    expect((await client.next('ScannerStateResponse')).message).to.deep.include(RUNNING);
    const answer = await client.ask(
      ...(['ScannerSetModeRequest', { mode: ScannerMode.passive }, 'ScannerStateResponse'] as const),
    );
    expect(answer.message).to.deep.include(RUNNING);
  });

  it('is taken by the newest client, and the earlier one hears nothing more, not even of its links', async () => {
    const { client, proxy } = await start();
    const [first, second] = [await client(), await client()];
    await subscribe(first);
    await heard(first);
    expect((await connectDevice(first)).message).to.deep.include({ connected: true });
    await subscribe(second);
    await first.settled();
    first.received.length = 0;
    await heard(second);
    first.send('ReadRequest', { address, handle: 3 });
    first.send('DeviceRequest', { address, requestType: DeviceRequestType.disconnect });
    await heard(second);
    await first.settled();
    expect([first.received, proxy.devices]).to.deep.equal([[], [DEVICE]]);
  });

  it('is not taken from the first client where the proxy is older than ESPHome 2026.7, until it ends', async () => {
    const { client } = await start('first');
    const [first, second] = [await client(), await client()];
    await subscribe(first);
    await subscribe(second);
    await heard(first);
    expect(second.received).to.deep.equal([]);
    await first.end();
    await subscribe(second);
    expect((await second.next('ScannerStateResponse')).message).to.deep.include(RUNNING);
    await heard(second);
  });

  it('brings the links that an earlier client left, without services until they are made again', async () => {
    const { client } = await start();
    const [first, second] = [await client(), await client()];
    await subscribe(first);
    await connectDevice(first);
    await subscribe(second);
    expect((await connectDevice(second)).message).to.deep.include({ connected: true, mtu: 256 });
    const services = (): Promise<{ readonly name: string }> =>
      second.ask('GetServicesRequest', { address }, 'GetServicesResponse', 'GetServicesDoneResponse');
    expect((await services()).name).to.equal('GetServicesDoneResponse');
    const ended = await second.ask(
      ...(['DeviceRequest', { address, requestType: DeviceRequestType.disconnect }] as const),
      'DeviceConnectionResponse',
    );
    expect(ended.message).to.deep.include({ connected: false });
    await connectDevice(second);
    expect((await services()).name).to.equal('GetServicesResponse');
  });

  it('is one of at most five clients, whose place another takes when it is gone', async () => {
    const { client, proxy } = await start();
    const clients = await Promise.all([1, 2, 3, 4, 5].map(client));
    const [refused] = (await once(
      connect({ host: '127.0.0.1', port: proxy.port }).resume(),
      'close',
    )) as boolean[];
    expect([refused, proxy.clients]).to.deep.equal([false, 5]);
    await clients[0]?.end();
    while (proxy.clients > 4) await clients[1]?.settled();
    await subscribe(await client());
  });

  it('leaves no link of an earlier client whose connection has ended', async () => {
    const { client, proxy } = await start();
    const [first, second] = [await client(), await client()];
    await subscribe(first);
    await connectDevice(first);
    first.send('DeviceRequest', {
      address: addressNumber(NO_DEVICE),
      requestType: DeviceRequestType.connect,
    });
    await subscribe(second);
    expect(proxy.devices).to.deep.equal([DEVICE, NO_DEVICE]);
    await first.end();
    const ended = [
      await second.next('DeviceConnectionResponse'),
      await second.next('DeviceConnectionResponse'),
    ];
    for (const { message } of ended) expect(message).to.deep.include({ connected: false });
    await second.settled();
    expect(proxy.devices).to.deep.equal([]);
  });

  it('ends with all links, and the adapter rests', async () => {
    const { client, proxy } = await start();
    const first = await client();
    await subscribe(first);
    await connectDevice(first);
    first.send('UnsubscribeAdvertisementsRequest');
    while (proxy.devices.length > 0) await first.settled();
    expect(fixture.server.list().map(({ devices }) => devices)).to.deep.equal([[]]);
  });
});
