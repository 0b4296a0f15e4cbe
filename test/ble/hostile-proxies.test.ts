import { expect } from 'chai';
import { describe, it } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import { DEFAULT_MEMORY } from '../../src/ble/advertisement-cache.js';
import { EsphomeProxy } from '../../src/ble/esphome/index.js';
import { addressNumber, type AnyMessage, type ApiConnection } from '../../src/protocols/esphome/index.js';
import { DEVICE, LIMITS, PROFILE } from '../support/bluetooth-fixture.js';
import { closedAfterEach } from '../support/bluetooth-proxy.js';
import { left } from '../support/either.js';
import { bytes } from '../support/hci-host.js';
import { scriptedProxy } from '../support/scripted-proxy.js';

const address = addressNumber(DEVICE);
const FIX = 'update its firmware, or use another proxy';

describe('A proxy that exceeds the bounds of Bluetooth', () => {
  const open = closedAfterEach();

  /** A proxy that is used until it is refused. */
  const use = async (script: (message: AnyMessage, connection: ApiConnection) => void) => {
    const { port, close } = await scriptedProxy(systemTime, script);
    open.push(close);
    let refused: (warning: string) => void = () => undefined;
    const refusal = new Promise<string>((resolve) => (refused = resolve));
    const proxy = new EsphomeProxy({
      ...{ host: '127.0.0.1', port, key: undefined, time: systemTime, limits: LIMITS },
      ...{ memory: DEFAULT_MEMORY, inform: () => undefined, warn: refused },
    });
    open.push(proxy.close);
    const heard = new Promise((resolve) => proxy.listen(resolve));
    proxy.start();
    return { proxy, refusal, heard, port };
  };

  it('is disconnected after a second DeviceInfoResponse', async () => {
    const { refusal, proxy, port } = await use((message, connection) => {
      if (message.name === 'SubscribeAdvertisementsRequest') connection.send('DeviceInfoResponse');
    });
    const what = 'it exceeds the bounds of Bluetooth (DeviceInfoResponse came twice)';
    expect(await refusal).to.equal(`the proxy 127.0.0.1:${port} cannot be used: ${what}: ${FIX}`);
    expect([proxy.state, proxy.problem]).to.deep.equal(['poweredOff', { what, fix: FIX }]);
  });

  it('is disconnected after a value of more than 512 bytes', async () => {
    const { refusal } = await use((message, connection) => {
      if (message.name === 'SubscribeAdvertisementsRequest')
        connection.send('NotifyDataResponse', { address, handle: 3, data: Buffer.alloc(60_000) });
    });
    expect(await refusal).to.contain('(NotifyDataResponse with data of length 60000, at most 512)');
  });

  it('is disconnected when a device has more attributes than handles', async () => {
    const service = { uuid: [], shortUuid: 0xff00, handle: 1, characteristics: [] };
    const services = Array.from({ length: 1000 }, () => service);
    const { refusal, proxy, heard } = await use((message, connection) => {
      if (message.name === 'SubscribeAdvertisementsRequest')
        connection.send('RawAdvertisementsResponse', {
          advertisements: [{ address, rssi: -60, addressType: 1, data: bytes('02 01 06') }],
        });
      if (message.name === 'DeviceRequest')
        connection.send('DeviceConnectionResponse', { address, connected: true, mtu: 23 });
      if (message.name === 'GetServicesRequest')
        for (let sent = 0; sent < 66; sent += 1)
          connection.send('GetServicesResponse', { address, services });
    });
    await heard;
    expect(left(await proxy.connect(DEVICE, PROFILE)())._tag).to.equal('LinkLost');
    expect(await refusal).to.contain('(a device has more than 65535 attributes)');
  });
});
