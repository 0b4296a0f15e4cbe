/** Several clients of a proxy: one of them receives messages about Bluetooth, as in ESPHome (`bluetooth_proxy.cpp`). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import {
  addressNumber,
  DeviceRequestType,
  ScannerMode,
  ScannerState,
} from '../../src/protocols/esphome/index.js';
import type { ApiClient } from '../support/api-client.js';
import { DEVICE, OTHER_DEVICE } from '../support/bluetooth-fixture.js';
import { useProxy } from '../support/bluetooth-proxy.js';

const RUNNING = { state: ScannerState.running, mode: ScannerMode.active, configuredMode: ScannerMode.active };
const address = addressNumber(DEVICE);
const NO_DEVICE = 'D1:CE:00:00:00:99';

describe('The subscription to a proxy', () => {
  const stage = useProxy({ slots: 3 });
  let first: ApiClient;

  beforeEach(async () => {
    first = stage.client;
    await stage.fixture.device();
    await stage.fixture.device({ address: OTHER_DEVICE });
  });

  const subscribe = async (client: ApiClient): Promise<void> => {
    client.send('SubscribeAdvertisementsRequest', { flags: 1 });
    await client.settled();
  };

  const advertised = (client: ApiClient) => client.next('RawAdvertisementsResponse');

  it('is answered with the state of the scanner, like a request for another mode', async () => {
    first.send('ScannerSetModeRequest', { mode: ScannerMode.passive });
    await first.settled();
    expect(first.received).to.deep.equal([]);
    await subscribe(first);
    expect(first.received[0]?.name).to.equal('ScannerStateResponse');
    expect((await first.next('ScannerStateResponse')).message).to.deep.include(RUNNING);
    const answer = await first.ask(
      ...(['ScannerSetModeRequest', { mode: ScannerMode.passive }, 'ScannerStateResponse'] as const),
    );
    expect(answer.message).to.deep.include(RUNNING);
  });

  it('moves to the newest client, and the earlier client gets no further messages, not even about its links', async () => {
    const second = await stage.another();
    await subscribe(first);
    await advertised(first);
    expect(await stage.connectDevice(first)).to.deep.include({ connected: true });
    await subscribe(second);
    await first.settled();
    first.received.length = 0;
    await advertised(second);
    first.send('ReadRequest', { address, handle: 3 });
    stage.request(DeviceRequestType.disconnect, DEVICE, first);
    await advertised(second);
    await first.settled();
    expect([first.received, stage.proxy.devices]).to.deep.equal([[], [DEVICE]]);
  });

  it('stays with the first client until its end if the proxy imitates ESPHome before 2026.7', async () => {
    await stage.start({ subscriber: 'first' });
    first = stage.client;
    const second = await stage.another();
    await subscribe(first);
    await subscribe(second);
    await advertised(first);
    expect(second.received).to.deep.equal([]);
    await first.end();
    await subscribe(second);
    expect((await second.next('ScannerStateResponse')).message).to.deep.include(RUNNING);
    await advertised(second);
  });

  it('includes the links of an earlier client, without services until they are made again', async () => {
    const second = await stage.another();
    await subscribe(first);
    await stage.connectDevice(first);
    await subscribe(second);
    expect(await stage.connectDevice(second)).to.deep.include({ connected: true, mtu: 256 });
    const services = (): Promise<{ readonly name: string }> =>
      second.ask('GetServicesRequest', { address }, 'GetServicesResponse', 'GetServicesDoneResponse');
    expect((await services()).name).to.equal('GetServicesDoneResponse');
    stage.request(DeviceRequestType.disconnect, DEVICE, second);
    expect((await second.next('DeviceConnectionResponse')).message).to.deep.include({ connected: false });
    await stage.connectDevice(second);
    expect((await services()).name).to.equal('GetServicesResponse');
  });

  it('is possible for at most five clients, and for another when one has gone', async () => {
    const [second] = await Promise.all([2, 3, 4, 5].map(() => stage.another()));
    const [refused] = (await once(
      connect({ host: '127.0.0.1', port: stage.proxy.port }).resume(),
      'close',
    )) as boolean[];
    expect([refused, stage.proxy.clients]).to.deep.equal([false, 5]);
    await first.end();
    while (stage.proxy.clients > 4) await second?.settled();
    await subscribe(await stage.another());
  });

  it('includes no links of an earlier client that has gone', async () => {
    const second = await stage.another();
    await subscribe(first);
    await stage.connectDevice(first);
    stage.request(DeviceRequestType.connect, NO_DEVICE, first);
    await subscribe(second);
    expect(stage.proxy.devices).to.deep.equal([DEVICE, NO_DEVICE]);
    await first.end();
    for (let ends = 0; ends < 2; ends += 1)
      expect((await second.next('DeviceConnectionResponse')).message).to.deep.include({ connected: false });
    await second.settled();
    expect(stage.proxy.devices).to.deep.equal([]);
  });

  it('ends together with all links, and the adapter stops its scan', async () => {
    await subscribe(first);
    await stage.connectDevice(first);
    first.send('UnsubscribeAdvertisementsRequest');
    while (stage.proxy.devices.length > 0) await first.settled();
    expect(stage.fixture.server.list().map(({ devices }) => devices)).to.deep.equal([[]]);
  });
});
