/** A virtual device on an adapter of this machine, as far as it can be seen without one. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Bench as AdapterBench, serveBenchControl } from '../../simulators/control/index.js';
import { Trace } from '../../simulators/radio/index.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../src/dice/protocol/index.js';
import { systemClock } from '../../src/time.js';
import { Bench, from, heard, left, right, signalled } from '../support/bluetooth-bench.js';
import { post, request } from '../support/client.js';
import { silent } from '../support/log.js';
import { text } from '../support/hci-host.js';
import { nativeOn } from '../support/native-on-air.js';
import { notBuilt, withNativeModule } from '../support/native-module.js';

const ADDRESS = '00:1A:7D:DA:71:13';
const OTHER = '00:1A:7D:DA:71:14';
const PROFILE = [{ service: NUS_SERVICE, characteristics: [NUS_NOTIFY, NUS_WRITE] }];

const options = (kind: 'dice' | 'clock', adapter?: number) => ({
  ...{ kind, adapter, seed: 1, trace: new Trace() },
});

describe('A virtual device on an adapter', () => {
  let bench: Bench;
  let native: ReturnType<typeof nativeOn>;
  let device: AdapterBench | undefined;

  const open = async (kind: 'dice' | 'clock', adapter?: number): Promise<AdapterBench> => {
    device = right(await withNativeModule(() => native.Native, AdapterBench.open(options(kind, adapter))));
    return device;
  };

  const strange = (how: {
    readonly permitted?: boolean;
    readonly up?: boolean;
    readonly extended?: { readonly scanning: boolean; readonly advertising: boolean };
  }): unknown => nativeOn({ air: bench.air, addresses: [OTHER], ...how }).Native;

  beforeEach(async () => {
    bench = await Bench.open();
    native = nativeOn({ air: bench.air, addresses: [OTHER, ADDRESS] });
  });
  afterEach(async () => {
    await device?.close();
    device = undefined;
    for (const socket of native.opened) socket.detach();
    await bench.close();
  });

  it('has the adapter’s address, and a name made of it', async () => {
    const [die] = (await open('dice', 1)).list();
    expect(die?.address).to.equal(ADDRESS);
    expect(die?.device.peripheral.name).to.match(/^GoDice_DA7113_[RGBYOK]_v04$/);
  });

  it('is found, connected and subscribed to by a server’s radio, and rolls by its control API', async () => {
    const on = await open('dice', 1);
    const control = right(
      await serveBenchControl({
        bench: on,
        address: '127.0.0.1',
        port: 0,
        clock: systemClock,
        log: silent,
      })(),
    );
    const radio = await bench.radio();
    await heard(radio, from(ADDRESS));
    const link = right(await radio.connect(ADDRESS, PROFILE)());
    const rolled = signalled<Buffer>();
    right(await link.subscribe(NUS_NOTIFY, rolled.fulfil)());
    const done = await post(control.port, `/devices/${ADDRESS}/actions`, { type: 'roll' });
    expect(done).to.have.property('status', 200);
    // `R`: a roll begins (docs/godice-protocol.md §4).
    expect((await rolled.promise).toString()).to.equal('R');
    expect((await request(control.port, '/devices')).body).to.deep.equal([
      {
        address: ADDRESS,
        kind: 'dice',
        name: on.list()[0]?.device.peripheral.name,
        connected: true,
        advertising: false,
      },
    ]);
    expect((await request(control.port, '/air')).status).to.equal(404);
    const trace = await fetch(`http://127.0.0.1:${control.port}/trace`);
    expect(await trace.text()).to.match(/^btsnoop\0/);
    await control.close();
  });

  it('is as it was at the start after a reset, its link ended', async () => {
    const on = await open('dice', 1);
    const radio = await bench.radio();
    await heard(radio, from(ADDRESS));
    const link = right(await radio.connect(ADDRESS, PROFILE)());
    right(on.list()[0]?.device.act({ type: 'battery', level: 7 }) ?? E.left('no device'));
    expect(on.list()[0]?.device.model()).to.include({ battery_level: 7 });
    const ended = new Promise((resolve) => link.onEnd(resolve));
    right(await withNativeModule(() => native.Native, on.reset()));
    await ended;
    expect(on.list()[0]?.device.peripheral.connected).to.equal(false);
    expect(on.list()[0]?.device.model()).to.include({ battery_level: 100 });
  });

  it('leaves the adapter silent when it is closed: no link, no advertising', async () => {
    const on = await open('clock');
    const radio = await bench.radio();
    await heard(radio, from(OTHER));
    const link = right(await radio.connect(OTHER, [])());
    const ended = new Promise((resolve) => link.onEnd(resolve));
    native.written.length = 0;
    await on.close();
    // LE Set Extended Advertising Enable off, LE Remove Advertising Set; Disconnect of the first handle, Remote User Terminated.
    expect(native.written.map(text)).to.deep.equal([
      '01 39 20 06 00 01 ef 00 00 00',
      '01 3c 20 01 ef',
      '01 06 04 03 40 00 13',
    ]);
    await ended;
  });

  it('uses the extended commands where Linux does, and leaves Linux its events', async () => {
    await open('dice', 1);
    const opcodes = native.written.map((packet) => packet.readUInt16LE(1));
    expect(opcodes).to.include.members([0x2036, 0x2037, 0x2038, 0x2039]);
    // The legacy commands; Set Event Mask, LE Set Event Mask, Reset.
    expect(opcodes).not.to.include.oneOf([0x2006, 0x2008, 0x2009, 0x200a, 0x0c01, 0x2001, 0x0c03]);
  });

  it('uses the legacy commands on an adapter that has no others, and is connected', async () => {
    const legacy = nativeOn({
      ...{ air: bench.air, addresses: [ADDRESS] },
      extended: { scanning: false, advertising: false },
    });
    device = right(await withNativeModule(() => legacy.Native, AdapterBench.open(options('dice'))));
    const radio = await bench.radio();
    await heard(radio, from(ADDRESS));
    right(await radio.connect(ADDRESS, PROFILE)());
    legacy.written.length = 0;
    await device.close();
    // LE Set Advertising Enable off; Disconnect.
    expect(legacy.written.map(text)).to.deep.equal(['01 0a 20 01 00', '01 06 04 03 40 00 13']);
    legacy.opened.forEach((socket) => socket.detach());
  });

  for (const [what, load, adapter, reason] of [
    ['the native module', notBuilt, 0, 'npm run native'],
    ['such an adapter', () => native.Native, 7, 'no Bluetooth adapter can be opened as hci7 (ENODEV'],
    ['permission', () => strange({ permitted: false }), 0, 'sudo setcap cap_net_raw+eip'],
    ['power', () => strange({ up: false }), 0, 'hci0 is down: run `sudo hciconfig hci0 up`'],
    [
      'extended advertising, which Linux scans as if it had,',
      () => strange({ extended: { scanning: true, advertising: false } }),
      0,
      'hci0 does not advertise, command disallowed (0x0C): Linux uses extended commands on it',
    ],
  ] as const) {
    it(`without ${what} says so, and what to do`, async () => {
      const why = left(await withNativeModule(load, AdapterBench.open(options('dice', adapter))));
      expect(why).to.contain(reason);
    });
  }
});
