import { expect } from 'chai';
import { describe, it } from 'mocha';
import { completeName, encodeAdvertisingData } from '../../simulators/ble/advertising-data.js';
import { Channel, LeSubevent, encodeCommand } from '../../src/ble/hci/packets.js';
import { createPeripheral } from '../../simulators/peripheral/index.js';
import { VirtualSocket } from '../../simulators/radio/index.js';
import {
  CHARACTERISTIC,
  DEVICE,
  OTHER_DEVICE,
  nextAdvertisement,
  payload,
  signalled,
  type DeviceOptions,
  useRig,
} from '../support/bluetooth-fixture.js';
import { isAcl, isEvent, isLeEvent, otherTurns, text } from '../support/hci-host.js';
import { connectionTo, hostOn, scan } from '../support/hci-scenes.js';
import { right } from '../support/either.js';

/** A peripheral on bleno, and the treatment of bleno's errors in it, with the numbers of the design page. */
describe('A peripheral', () => {
  const rig = useRig();

  /** A separate host with a link to DEVICE. */
  const central = async () => {
    const host = await hostOn(rig.air, { address: '02:A1:B0:00:00:99' });
    await host.status('leCreateConnection', connectionTo(DEVICE));
    const { handle } = await host.connected();
    return {
      ...{ host, handle },
      /** Sends a PDU in hex to a channel of L2CAP (Core 5.4 Vol 3 Part A 2.1). */
      send: (channel: number, pdu: string): void => {
        const data = Buffer.from(pdu, 'hex');
        host.acl(handle, 0, Buffer.concat([Buffer.from([data.length, 0, channel, 0]), data]));
      },
      response: async (): Promise<string> => (await host.next(isAcl)).subarray(9).toString('hex'),
    };
  };

  it('B1. each peripheral has its own bleno, with its own services, links and notifications', async () => {
    for (const address of [DEVICE, OTHER_DEVICE]) {
      await rig.device({
        address,
        characteristic: {
          onRead: () => Buffer.from(address),
          onSubscribe: (notify) => notify(Buffer.from(`from ${address}`)),
        },
      });
    }
    const results = [DEVICE, OTHER_DEVICE].map(async (address) => {
      const link = await rig.link(address);
      const notified = signalled<Buffer>();
      right(await link.subscribe(CHARACTERISTIC, notified.fulfil)());
      return [right(await link.read(CHARACTERISTIC)()).toString(), (await notified.promise).toString()];
    });
    expect(await Promise.all(results)).to.deep.equal([
      [DEVICE, `from ${DEVICE}`],
      [OTHER_DEVICE, `from ${OTHER_DEVICE}`],
    ]);
  });

  it('B2. a peripheral can end its link: handles begin at 0x0040, since bleno treats 0 as no handle', async () => {
    const device = await rig.device();
    const link = await rig.link();
    expect(device.socket.controller.links.handles()).to.deep.equal([0x0040]);
    const ended = new Promise((resolve) => link.onEnd(resolve));
    device.disconnect();
    expect(await ended).to.deep.equal({ _tag: 'LinkLost', address: DEVICE, reason: 0x13 });
  });

  it('B3. a failed connection is not reported to the advertiser', async () => {
    const accepted: string[] = [];
    const device = await rig.device({ onConnect: (central) => accepted.push(central) });
    rig.air.faults.add({ device: DEVICE, type: 'failed_establishment', times: 2 });
    await rig.link();
    expect(accepted).to.deep.equal(['02:a1:b0:00:00:01']);
    expect(device.connected).to.equal(true);
  });

  it('B4. a name with letters beyond ASCII is advertised whole', async () => {
    const device = await rig.device();
    device.advertise(Buffer.from([2, 1, 6]), encodeAdvertisingData([completeName('Würfel ⚄')]));
    expect(
      (await nextAdvertisement(rig.radio, ({ name }) => name !== null && name !== 'device')).name,
    ).to.equal('Würfel ⚄');
  });

  it('B5. more than 31 bytes are refused before bleno sees them', async () => {
    const device = await rig.device();
    expect(() => device.advertise(Buffer.alloc(32), Buffer.alloc(0))).to.throw(RangeError);
    expect(() => device.advertise(Buffer.alloc(0), Buffer.alloc(32))).to.throw(RangeError);
    expect(() => encodeAdvertisingData([completeName('x'.repeat(30))])).to.throw(RangeError);
  });

  it('B6. a long notification is cut to ATT_MTU - 3, and other notifications arrive whole, in order', async () => {
    const subscribed = signalled<(value: Buffer) => void>();
    await rig.device({ characteristic: { onSubscribe: subscribed.fulfil } });
    const link = await rig.link();
    const lengths: number[] = [];
    const last = signalled();
    right(
      await link.subscribe(CHARACTERISTIC, (value) => {
        lengths.push(value.length);
        if (value.length === 1) last.fulfil();
      })(),
    );
    const notify = await subscribed.promise;
    // The MTU is 256, larger than a data packet of 251 bytes: the longest notification takes two.
    for (const length of [20, 253, 300, 244, 247, 1]) notify(Buffer.alloc(length));
    await last.promise;
    expect(lengths).to.deep.equal([20, 253, 253, 244, 247, 1]);
  });

  it('B7. a second central does not overwrite the first', async () => {
    const accepted: string[] = [];
    await rig.device({ onConnect: (central) => accepted.push(central) });
    const link = await rig.link();
    const second = await hostOn(rig.air, { address: '02:A1:B0:00:00:99' });
    await second.status('leCreateConnection', connectionTo(DEVICE));
    expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
    expect(second.take(isLeEvent(LeSubevent.connectionComplete))).to.deep.equal([]);
    expect(accepted).to.have.length(1);
    await second.begin();
  });

  it('B8. each peripheral has its own GAP name, and the environment stays as it was', async () => {
    process.env['BLENO_DEVICE_NAME'] = 'untouched';
    await rig.device({ name: 'first' });
    await rig.device({ address: OTHER_DEVICE, name: 'second' });
    expect(process.env['BLENO_DEVICE_NAME']).to.equal('untouched');
    delete process.env['BLENO_DEVICE_NAME'];
    const central = await hostOn(rig.air, { address: '02:A1:B0:00:00:99' });
    const names: string[] = [];
    for (const address of [DEVICE, OTHER_DEVICE]) {
      await central.status('leCreateConnection', connectionTo(address));
      const { handle } = await central.connected();
      // Read By Type Request of 0x2A00 (Core 5.4 Vol 3 Part F 3.4.4.1).
      central.acl(handle, 0, Buffer.from('07000400080100ffff002a', 'hex'));
      names.push((await central.next(isAcl)).subarray(13).toString());
      await central.status('disconnect', { handle, reason: 0x13 });
    }
    expect(names).to.deep.equal(['first', 'second']);
  });

  it('advertises services and name from the start, the name in the scan response if there is no room', async () => {
    const onAir = async (options: DeviceOptions) => {
      const { legacy } = (await rig.device(options)).socket.controller.advertising;
      expect(legacy.enabled).to.equal(true);
      return [legacy.data, legacy.scanResponse].map((data) => data.toString('hex'));
    };
    // Flags, Complete List of 16-bit Service UUIDs, Complete Local Name (Core Specification Supplement Part A 1.1-1.3).
    const services = '020106' + '03030d18';
    const most = 'x'.repeat(22);
    expect(await onAir({ name: 'Strap', advertises: ['180d'] })).to.deep.equal([
      `${services}06095374726170`,
      '',
    ]);
    expect(await onAir({ address: OTHER_DEVICE, name: most, advertises: ['180d'] })).to.deep.equal([
      `${services}1709${'78'.repeat(22)}`,
      '',
    ]);
    expect(
      await onAir({ address: 'D1:CE:00:00:00:03', name: `${most}x`, advertises: ['180d'] }),
    ).to.deep.equal([services, `1809${'78'.repeat(23)}`]);
    expect(await onAir({ address: 'D1:CE:00:00:00:04', name: '', advertises: [] })).to.deep.equal([
      '020106',
      '',
    ]);
  });

  it('is refused if its name or its services do not fit a packet', () => {
    const socket = new VirtualSocket(rig.air, { address: OTHER_DEVICE, maxLinks: 1 });
    const create = (name: string, advertises: readonly string[]) => () =>
      createPeripheral({ socket, name, advertises, services: [] });
    expect(create('x'.repeat(30), [])).to.throw(RangeError, 'at most 31 bytes, got 32');
    expect(create('', Array<string>(14).fill('180d'))).to.throw(RangeError, 'at most 31 bytes, got 33');
    socket.detach();
  });

  it('reports whether it is linked and advertises, and each change', async () => {
    const changes: string[] = [];
    const linked = signalled<string>();
    const ended = signalled();
    const device = await rig.device({
      advertises: [],
      changed: () =>
        changes.push(device.connected ? 'linked' : device.advertising ? 'advertising' : 'silent'),
      onConnect: linked.fulfil,
      onDisconnect: ended.fulfil,
    });
    expect(device).to.include({ name: 'device', connected: false, advertising: true });
    device.stopAdvertising();
    device.stopAdvertising();
    device.advertise(...payload('device'));
    device.advertise(...payload('renamed'));
    await central();
    await linked.promise;
    device.disconnect();
    device.disconnect();
    await ended.promise;
    expect(changes).to.deep.equal(['silent', 'advertising', 'linked', 'advertising']);
  });

  it('refuses pairing and encryption, and the link stays', async () => {
    const device = await rig.device();
    const { host, handle, send, response } = await central();
    // Random at the beginning, and half a Request, which is refused like a whole Request (Core 5.4 Vol 3 Part H 3.5).
    send(Channel.security, `04${'ab'.repeat(16)}`);
    for (const request of ['010300', '01030001100001']) {
      send(Channel.security, request);
      expect(await response()).to.equal('0505');
    }
    await host.status('leEnableEncryption', {
      ...{ handle, random: Buffer.alloc(8), encryptedDiversifier: 0 },
      longTermKey: Buffer.alloc(16),
    });
    // Encryption Change: PIN or Key Missing.
    expect(text((await host.next(isEvent(0x08))).subarray(3, 4))).to.equal('06');
    expect(device.connected).to.equal(true);
  });

  it('finds attributes by either form of a 16-bit UUID, and has the appearance 0x0000, unknown', async () => {
    await rig.device();
    const { send, response } = await central();
    const request = async (search: string, uuid: string): Promise<string> => {
      send(Channel.att, `${search}${uuid}`);
      return response();
    };
    // Core 5.4 Vol 3 Part F 3.4.4.9, 3.4.4.1 and 3.4.3.3: services, characteristics, a value, a service by its UUID.
    for (const [search, uuid, opcode] of [
      ['100100ffff', '0028', '11'],
      ['0801000500', '0328', '09'],
      ['080100ffff', '002a', '09'],
      ['060100ffff0028', '0118', '07'],
    ] as const) {
      const answer = await request(search, uuid);
      expect(answer.slice(0, 2)).to.equal(opcode);
      expect(await request(search, `fb349b5f8000008000100000${uuid}0000`)).to.equal(answer);
    }
    expect(await request('080100ffff', '012a')).to.equal('090405000000');
  });

  it('performs a write after its response, and before the end of its link', async () => {
    const calls: string[] = [];
    let notify: ((value: Buffer) => void) | undefined;
    await rig.device({
      characteristic: {
        onSubscribe: (notifier) => (notify = notifier),
        onUnsubscribe: () => calls.push('unsubscribed'),
        onWritten: (value) => {
          calls.push(`written ${value.toString('hex')}`);
          notify?.(value);
        },
      },
    });
    const { host, handle, send, response } = await central();
    const request = (pdu: string): void => send(Channel.att, pdu);
    const littleEndian = (value: number): string => Buffer.of(value & 0xff, value >> 8).toString('hex');
    // Read By Type, and the handle of its only answer.
    request(`080100ffff${littleEndian(Number.parseInt(CHARACTERISTIC, 16))}`);
    const value = Buffer.from((await response()).slice(4, 8), 'hex').readUInt16LE();
    request(`12${littleEndian(value + 1)}0100`);
    expect(await response()).to.equal('13');
    request(`12${littleEndian(value)}aa`);
    expect([await response(), await response()]).to.deep.equal(['13', `1b${littleEndian(value)}aa`]);
    request(`12${littleEndian(value)}bb`);
    host.send(encodeCommand('disconnect', { handle, reason: 0x13 }));
    await host.disconnected();
    await otherTurns();
    expect(calls).to.deep.equal(['written aa', 'written bb', 'unsubscribed']);
  });

  it('advertises again after a link, with the latest data', async () => {
    const device = await rig.device();
    const link = await rig.link();
    device.advertise(...payload('renamed'));
    await link.disconnect();
    expect((await nextAdvertisement(rig.radio, ({ name }) => name !== 'device')).name).to.equal('renamed');
  });

  it('does not advertise after a link if advertising was stopped during the link', async () => {
    const ended = signalled();
    const device = await rig.device({ onDisconnect: ended.fulfil });
    const { host, handle } = await central();
    device.stopAdvertising();
    await host.status('disconnect', { handle, reason: 0x13 });
    await ended.promise;
    await otherTurns();
    expect(device.socket.controller.advertising.legacy.enabled).to.equal(false);
  });

  it('loses its link and its subscriber when its controller loses power, and advertises when power is back', async () => {
    const story: string[] = [];
    const subscribed = signalled();
    const device = await rig.device({
      onConnect: () => story.push('connect'),
      onDisconnect: () => story.push('disconnect'),
      characteristic: {
        onSubscribe: () => {
          story.push('subscribe');
          subscribed.fulfil();
        },
        onUnsubscribe: () => story.push('unsubscribe'),
      },
    });
    const link = await rig.link();
    right(await link.subscribe(CHARACTERISTIC, () => undefined)());
    await subscribed.promise;
    device.socket.controller.power(false);
    expect(story).to.deep.equal(['connect', 'subscribe', 'unsubscribe', 'disconnect']);
    expect(device.connected).to.equal(false);
    device.socket.controller.power(true);
    await new Promise((resolve) => link.onEnd(resolve));
    const again = await rig.link();
    expect(right(await again.read(CHARACTERISTIC)()).toString()).to.equal('value');
  });

  it('leaves nothing on the air or in the process when it is closed', async () => {
    const device = await rig.device();
    device.close();
    device.socket.detach();
    const host = await hostOn(rig.air, { address: '02:A1:B0:00:00:99' });
    await scan(host, 0);
    expect(host.take(isLeEvent(LeSubevent.advertisingReport))).to.deep.equal([]);
    device.socket.write(encodeCommand('readBdAddr', {}));
    expect(device.socket.eventNames()).to.deep.equal([]);
  });
});
