/** The packets of bleno's socket on an adapter of this machine. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openAdapter, type AdapterSocket } from '../../simulators/peripheral/adapter.js';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { Air, type VirtualSocket } from '../../simulators/radio/index.js';
import { left, right } from '../support/either.js';
import { HciHost, text } from '../support/hci-host.js';
import { CENTRAL, advertise, connectionTo, hostOn } from '../support/hci-scenes.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';
import { withNativeModule } from '../support/native-module.js';
import { UserChannels } from '../support/user-channels.js';

const ADDRESS = '00:1A:7D:DA:71:13';

const ADVERTISE = '01 0a 20 01 01';
const BE_SILENT = '01 0a 20 01 00';
/** Disconnect of the first handle, Remote User Terminated (Core 5.4 Vol 4 Part E 7.1.6). */
const DISCONNECT = '01 06 04 03 40 00 13';
const RESET = '01 03 0c 00';
/** The interval of checks whether the adapter exists, and the time before it is opened again. */
const PAUSE_MS = 200;
const READ_BD_ADDR = '01 09 10 00';

describe('An adapter’s socket', () => {
  let air: Air;
  let time: ManualTime;
  let kernel: UserChannels;
  let controller: VirtualSocket;
  let socket: AdapterSocket;
  /** A host in place of bleno. */
  let host: HciHost;

  const written = (): readonly string[] => kernel.written.splice(0).map(text);

  beforeEach(async () => {
    air = new Air({});
    time = manualTime();
    kernel = new UserChannels(air);
    controller = kernel.plug(0, ADDRESS);
    socket = right(
      await withNativeModule(
        () => kernel.Native,
        openAdapter(0, (cause) => expect.fail(cause), time),
      ),
    );
    host = new HciHost((packet) => socket.write(packet));
    socket.on('data', (packet: Buffer) => host.receive(packet));
  });
  afterEach(async () => {
    await socket.release();
    kernel.end();
  });

  const connected = async (): Promise<number> => {
    await host.begin();
    await advertise(host);
    const central = await hostOn(air, { address: CENTRAL });
    central.send(encodeCommand('leCreateConnection', connectionTo(ADDRESS)));
    return (await host.connected()).handle;
  };

  it('resets the controller and reads its address before anything else', () => {
    expect(written()).to.deep.equal([RESET, READ_BD_ADDR]);
    expect(socket).to.include({ name: 'hci0', address: ADDRESS });
  });

  it('reports that it advertises once the adapter does', async () => {
    const advertises = socket.advertises();
    await host.status('leSetAdvertisingEnable', { enable: 0 });
    await advertise(host);
    right(await advertises);
    expect(controller.controller.advertising.enabled()).to.have.length(1);
  });

  it('stops advertising that starts during a link: a second central would replace the first', async () => {
    await connected();
    written();
    expect(await host.status('leSetAdvertisingEnable', { enable: 1 })).to.equal(0);
    expect(written()).to.deep.equal([ADVERTISE, BE_SILENT]);
    expect(controller.controller.advertising.enabled()).to.deep.equal([]);
  });

  it('is released once it is silent: without advertising or a link, and reset', async () => {
    await connected();
    written();
    // A peripheral closes in this way.
    socket.removeAllListeners();
    socket.stop();
    await socket.silent;
    expect(kernel.isUp(0)).to.equal(true);
    await socket.release();
    expect(written()).to.deep.equal([BE_SILENT, DISCONNECT, RESET]);
    expect(controller.controller.links.size).to.equal(0);
    expect(kernel.isUp(0)).to.equal(false);
  });

  it('is released immediately when the adapter is gone', async () => {
    await connected();
    const down = new Promise((resolve) => socket.once('down', resolve));
    kernel.unplug(0);
    time.advance(PAUSE_MS);
    await down;
    written();
    await socket.release();
    expect(written()).to.deep.equal([]);
  });

  it('reports why it does not advertise when the adapter refuses', async () => {
    const advertises = socket.advertises();
    // The least interval is 0x0020 (Core 5.4 Vol 4 Part E 7.8.5).
    await advertise(host, { intervalMin: 0x0010, intervalMax: 0x0010 });
    expect(left(await advertises)).to.equal(
      'hci0 does not advertise, invalid HCI command parameters (0x12): ' +
        'plug it in again, or use another one, with Bluetooth 4.0 or later',
    );
  });
});
