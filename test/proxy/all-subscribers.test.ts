/** Several clients that share a proxy, each with links of its own. */
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { Status } from '../../src/ble/hci/status.js';
import {
  addressNumber,
  DeviceRequestType,
  ProxyError,
  ScannerState,
  type AnyMessage,
} from '../../src/protocols/esphome/index.js';
import type { ApiClient } from '../support/api-client.js';
import { DEVICE, OTHER_DEVICE, recordingDevice } from '../support/bluetooth-fixture.js';
import { linksInWords, useProxy } from '../support/bluetooth-proxy.js';

const address = addressNumber(DEVICE);
const NO_DEVICE = 'D1:CE:00:00:00:99';
/** The handle of the device's characteristic; its client configuration follows. */
const VALUE = 12;
const TO_ALL = ['RawAdvertisementsResponse', 'ConnectionsFreeResponse'];

describe('A proxy that all clients share', () => {
  const stage = useProxy({ slots: 3, subscriber: 'all' });
  let first: ApiClient;
  let second: ApiClient;

  const subscribe = async (client: ApiClient): Promise<ApiClient> => {
    await client.ask('SubscribeAdvertisementsRequest', {}, 'ScannerStateResponse');
    await client.ask('SubscribeConnectionsFreeRequest', {}, 'ConnectionsFreeResponse');
    return client;
  };

  beforeEach(async () => {
    first = await subscribe(stage.client);
    second = await subscribe(await stage.another());
  });

  const connect = async (client: ApiClient, device = DEVICE) => {
    stage.request(DeviceRequestType.connect, device, client);
    const answer = (await client.next('DeviceConnectionResponse')).message;
    await client.settled();
    return answer;
  };

  /** Takes all messages about links and slots that a client has received. */
  const reports = async (client: ApiClient): Promise<readonly string[]> => {
    await client.settled();
    return client.received.splice(0).flatMap(linksInWords);
  };

  const read = (client: ApiClient): Promise<AnyMessage> =>
    client.ask('ReadRequest', { address, handle: VALUE }, 'ReadResponse', 'GattErrorResponse');

  it('sends advertisements and the state of the scanner to all', async () => {
    await stage.fixture.device();
    for (const client of [first, second]) await client.next('RawAdvertisementsResponse');
    stage.fixture.server.power('hci0', false);
    for (const client of [first, second])
      expect((await client.next('ScannerStateResponse')).message).to.include({ state: ScannerState.failed });
  });

  it('reports changed slots to all: to each its own and the free ones', async () => {
    await stage.fixture.device();
    await stage.fixture.device({ address: OTHER_DEVICE });
    await connect(first);
    expect(await reports(first)).to.deep.equal(['81 2/3 D1:CE:00:00:00:01', '81 2/3 D1:CE:00:00:00:01']);
    expect(await reports(second)).to.deep.equal(['81 2/2']);
    await connect(second, OTHER_DEVICE);
    expect(await reports(first)).to.deep.equal(['81 1/2 D1:CE:00:00:00:01']);
    expect(await reports(second)).to.deep.equal(['81 1/2 D1:CE:00:00:00:02', '81 1/2 D1:CE:00:00:00:02']);
    stage.request(DeviceRequestType.disconnect, DEVICE, first);
    await first.next('DeviceConnectionResponse');
    expect(await reports(first)).to.deep.equal(['81 2/2']);
    expect(await reports(second)).to.deep.equal(['81 2/3 D1:CE:00:00:00:02']);
  });

  it('sends messages of a link to the client that made it, and to no other', async () => {
    const { subscribed } = await recordingDevice(stage.fixture);
    await connect(first);
    await first.ask('NotifyRequest', { address, handle: VALUE, enable: true }, 'NotifyResponse');
    first.send('WriteDescriptorRequest', { address, handle: VALUE + 1, data: Buffer.of(1, 0) });
    (await subscribed)(Buffer.of(7));
    expect((await first.next('NotifyDataResponse')).message).to.deep.include({ data: Buffer.of(7) });
    expect((await read(first)).name).to.equal('ReadResponse');
    expect((await read(second)).message).to.include({ error: ProxyError.notConnected });
    stage.request(DeviceRequestType.disconnect, DEVICE, first);
    await first.next('DeviceConnectionResponse');
    await second.settled();
    expect(second.received.filter(({ name }) => !TO_ALL.includes(name))).to.deep.equal([]);
  });

  it("answers the disconnect of another client's link without ending it", async () => {
    await stage.fixture.device();
    await connect(first);
    stage.request(DeviceRequestType.connect, NO_DEVICE, first);
    await reports(second);
    for (const device of [DEVICE, NO_DEVICE]) {
      stage.request(DeviceRequestType.disconnect, device, second);
      expect(await reports(second)).to.deep.equal([`69 ${device} ended 0`, '81 1/1']);
    }
    expect((await read(first)).name).to.equal('ReadResponse');
    expect(stage.proxy.devices).to.deep.equal([DEVICE, NO_DEVICE]);
  });

  for (const [leaves, leave] of [
    ['has gone', (client: ApiClient) => client.end()],
    ['unsubscribes', (client: ApiClient) => void client.send('UnsubscribeAdvertisementsRequest')],
  ] as const)
    it(`ends the links and attempts of a client that ${leaves}, and no others`, async () => {
      await stage.fixture.device();
      await stage.fixture.device({ address: OTHER_DEVICE });
      await connect(second);
      await connect(first, OTHER_DEVICE);
      stage.request(DeviceRequestType.connect, NO_DEVICE, first);
      await first.settled();
      await leave(first);
      while (stage.proxy.devices.length > 1) await second.settled();
      expect(stage.fixture.server.list().map(({ devices }) => devices)).to.deep.equal([[DEVICE]]);
      expect((await read(second)).name).to.equal('ReadResponse');
      second.received.length = 0;
      await second.next('RawAdvertisementsResponse');
    });

  it('refuses at once to connect a device that another client has or is connecting, also without a free slot', async () => {
    await stage.fixture.device();
    const refused = { connected: false, error: Status.connectionAlreadyExists };
    await connect(first);
    stage.request(DeviceRequestType.connect, NO_DEVICE, first);
    await first.settled();
    for (const device of [DEVICE, NO_DEVICE]) expect(await connect(second, device)).to.include(refused);
    stage.request(DeviceRequestType.connect, OTHER_DEVICE, first);
    await first.settled();
    expect(await connect(second)).to.include(refused);
    stage.request(DeviceRequestType.disconnect, DEVICE, first);
    await first.next('DeviceConnectionResponse');
    await first.settled();
    expect(await connect(second)).to.include({ connected: true });
  });

  it('probes a client when another one wants to connect its device', async () => {
    const sent: string[] = [];
    await stage.start({
      tap: (direction, name) => {
        if (direction === 'sent') sent.push(name);
      },
    });
    await stage.fixture.device();
    await connect(await subscribe(stage.client));
    expect(sent).not.to.include('PingRequest');
    const other = await subscribe(await stage.another());
    expect(await connect(other)).to.include({ connected: false });
    expect(sent.filter((name) => name === 'PingRequest')).to.have.lengthOf(1);
  });
});
