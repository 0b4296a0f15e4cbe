/** The socket that bleno is given on an adapter of this machine, by its packets. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openAdapter, type AdapterSocket } from '../../src/ble/hci/adapter.js';
import { EventCode, LeSubevent, encodeCommand } from '../../src/ble/hci/packets.js';
import { Air } from '../../simulators/radio/index.js';
import { left, right } from '../support/bluetooth-bench.js';
import { HciHost, bytes, isEvent, isLeEvent, text } from '../support/hci-host.js';
import { CENTRAL, advertise, connectionTo, hostOn } from '../support/hci-scenes.js';
import { withNativeModule } from '../support/native-module.js';
import { nativeOn } from '../support/native-on-air.js';

const ADDRESS = '00:1A:7D:DA:71:13';
const EVERYTHING = bytes('FF FF FF FF FF FF FF FF FF FF FF FF 00 00 00 00');

describe('An adapter’s socket', () => {
  let air: Air;
  let native: ReturnType<typeof nativeOn>;
  let socket: AdapterSocket;
  /** What bleno would be, and hears. */
  let host: HciHost;

  beforeEach(async () => {
    air = new Air({});
    native = nativeOn({ air, addresses: [ADDRESS], maxLinks: 2 });
    const unheard = { fromHost: () => undefined, toHost: () => undefined };
    socket = right(await withNativeModule(() => native.Native, openAdapter(0, unheard)));
    socket.setFilter(EVERYTHING);
    host = new HciHost((packet) => socket.write(packet));
    socket.on('data', (packet: Buffer) => host.receive(packet));
  });
  afterEach(() => {
    socket.stop();
    native.opened.forEach((opened) => opened.detach());
  });

  const connected = async (): Promise<number> => {
    await advertise(host);
    const central = await hostOn(air, { address: CENTRAL });
    central.send(encodeCommand('leCreateConnection', connectionTo(ADDRESS)));
    return (await host.connected()).handle;
  };

  it('answers legacy advertising commands as a controller does, whatever it sends', async () => {
    await advertise(host);
    expect(host.take().map(text)).to.deep.equal([]);
    expect(await socket.advertises).to.have.property('_tag', 'Right');
  });

  it('stops what is told to advertise during a link: a second central would take the first one’s place', async () => {
    await connected();
    native.written.length = 0;
    expect(await host.status('leSetAdvertisingEnable', { enable: 1 })).to.equal(0);
    // LE Set Extended Advertising Enable: on, and off again.
    expect(native.written.map(text)).to.deep.equal([
      '01 39 20 06 01 01 ef 00 00 00',
      '01 39 20 06 00 01 ef 00 00 00',
    ]);
    expect(native.opened[0]?.controller.advertising.enabled()).to.deep.equal([]);
  });

  it('advertises again when it is told to after a link', async () => {
    const handle = await connected();
    await host.status('disconnect', { handle, reason: 0x13 });
    await host.next(isEvent(EventCode.disconnectionComplete));
    await host.status('leSetAdvertisingEnable', { enable: 1 });
    expect(native.opened[0]?.controller.advertising.enabled()).to.have.length(1);
  });

  it('ends no link that the kernel has made to somebody else', () => {
    // LE Connection Complete, Role 0x00: central (Core 5.4 Vol 4 Part E 7.7.65.1).
    native.opened[0]?.emit(
      'data',
      bytes('04 3E 13 01 00 44 00 00 01 01 02 03 04 05 C6 06 00 00 00 90 01 00'),
    );
    expect(host.take()).to.have.length(1);
    native.written.length = 0;
    socket.stop();
    // LE Set Extended Advertising Enable off, LE Remove Advertising Set.
    expect(native.written.map(text)).to.deep.equal(['01 39 20 06 00 01 ef 00 00 00', '01 3c 20 01 ef']);
  });

  it('lets through what else a link brings', async () => {
    await connected();
    expect(text(await host.next(isLeEvent(LeSubevent.advertisingSetTerminated)))).to.equal(
      '04 3e 06 12 00 ef 40 00 00',
    );
  });

  it('says why it does not advertise when the adapter refuses', async () => {
    // The largest interval is 0x4000 (Core 5.4 Vol 4 Part E 7.8.5); of a set it may be larger, less than 0x20 never.
    await advertise(host, { intervalMin: 0x0010, intervalMax: 0x0010 });
    expect(left(await socket.advertises)).to.contain(
      'hci0 does not advertise, invalid HCI command parameters (0x12)',
    );
  });
});
