/** A proxy on a virtual radio, tested with a client of the API by other authors. */
import { once, type EventEmitter } from 'node:events';
import { Connection } from '@2colors/esphome-native-api';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { addressNumber } from '../../src/protocols/esphome/index.js';
import { DEVICE, Fixture, OTHER_DEVICE, recordingDevice } from '../support/bluetooth-fixture.js';
import { closedAfterEach, openProxy } from '../support/bluetooth-proxy.js';

/** An address in the client's form: a number in double precision, which has room for 48 bits. */
const number = (address: string): number => Number(addressNumber(address));

interface Attribute {
  readonly handle: number;
  readonly shortUuid?: number;
}

interface Services {
  readonly servicesList: readonly {
    readonly characteristicsList: readonly (Attribute & { readonly descriptorsList: readonly Attribute[] })[];
  }[];
}

const KEY = Buffer.alloc(32, 5);

for (const [how, key] of [
  ['plain', undefined],
  ['encrypted', KEY],
] as const)
  describe(`A proxy over a ${how} connection`, () => {
    const ending = closedAfterEach();
    let client: Connection;
    let device: Awaited<ReturnType<typeof recordingDevice>>;

    /** The client as an emitter, which its types hide. */
    const events = (): EventEmitter => client as unknown as EventEmitter;

    beforeEach(async () => {
      const fixture = await Fixture.open();
      ending.push(() => fixture.close());
      device = await recordingDevice(fixture);
      await fixture.device({ address: OTHER_DEVICE });
      const proxy = await openProxy(fixture, { key });
      ending.push(proxy.close, () => client.disconnect());
      client = new Connection({
        ...{ host: '127.0.0.1', port: proxy.port, reconnect: false },
        ...(key !== undefined && { encryptionKey: key.toString('base64'), expectedServerName: 'kitchen' }),
      });
      client.connect();
      await once(events(), 'authorized');
      client.subscribeBluetoothAdvertisementService();
    });

    it('reports its name, its address and its features', async () => {
      expect(await client.deviceInfoService()).to.include({
        ...{ name: 'kitchen', macAddress: 'A0:B1:C2:D3:E4:F5', bluetoothProxyFeatureFlags: 247 },
      });
    });

    it('passes advertisements on, with the name of the scan response', async () => {
      const rssi = await new Promise<number>((resolve) => {
        events().on(
          'message.BluetoothLEAdvertisementResponse',
          (advertisement: { readonly address: number; readonly name: string; readonly rssi: number }) => {
            if (advertisement.address === number(DEVICE) && advertisement.name === 'device')
              resolve(advertisement.rssi);
          },
        );
      });
      expect(rssi).to.be.within(-127, 20);
    });

    const connect = (address: string) => client.connectBluetoothDeviceService(number(address), 1);

    const find = async (): Promise<{ readonly value: number; readonly configuration: number }> => {
      const { servicesList } = (await client.listBluetoothGATTServicesService(
        number(DEVICE),
      )) as unknown as Services;
      const [found] = servicesList
        .flatMap(({ characteristicsList }) => characteristicsList)
        .filter(({ descriptorsList }) => descriptorsList.length > 0)
        .slice(-1);
      return { value: found?.handle ?? 0, configuration: found?.descriptorsList[0]?.handle ?? 0 };
    };

    it('connects a device, reads, writes and is notified', async () => {
      expect(await connect(DEVICE)).to.include({ connected: true, mtu: 256 });
      const { value, configuration } = await find();
      const address = number(DEVICE);
      const read = await client.readBluetoothGATTCharacteristicService(address, value);
      expect(Buffer.from(read.data, 'base64').toString()).to.equal('value');
      await client.writeBluetoothGATTCharacteristicService(address, value, Uint8Array.of(1, 2), true);
      expect(device.written).to.deep.equal(['0102']);
      await client.notifyBluetoothGATTCharacteristicService(address, value);
      await client.writeBluetoothGATTDescriptorService(address, configuration, Uint8Array.of(1, 0));
      const notified = once(events(), 'message.BluetoothGATTNotifyDataResponse');
      (await device.subscribed)(Buffer.from('R'));
      expect((await notified)[0]).to.include({ address, handle: value, data: 'Ug==' });
    });

    it('has no more links than slots, and room again after the end of a link', async () => {
      expect(await connect(DEVICE)).to.include({ connected: true });
      expect(await connect(OTHER_DEVICE)).to.include({ connected: false, error: 0 });
      expect(await client.disconnectBluetoothDeviceService(number(DEVICE))).to.include({
        ...{ connected: false, error: 0x16 },
      });
      expect(await connect(OTHER_DEVICE)).to.include({ connected: true });
    });
  });
