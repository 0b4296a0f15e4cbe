import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AttDevice, Att, discovering } from '../support/att-device.js';
import {
  Bench,
  CHARACTERISTIC,
  DEVICE,
  OTHER_DEVICE,
  PROFILE,
  from,
  heard,
  left,
  linkTo,
  type BenchRadio,
  eachBench,
} from '../support/bluetooth-bench.js';
import { bytes, settle } from '../support/hci-host.js';
import { HciTap } from '../support/hci-tap.js';

/** What keeps the process alive, streams to the terminal apart. */
const resources = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((name) => !/^(TTY|Pipe|Immediate|TickObject|CloseReq|FSReq)/.test(name))
    .toSorted();

describe('Closing a radio', () => {
  let bench: Bench;
  let radio: BenchRadio;
  eachBench((opened) => ({ bench, radio } = opened));

  it('leaves no timer, no listener and no stream behind', async () => {
    await bench.device();
    await settle();
    const before = resources();
    const other = await bench.radio();
    const stop = other.listen(() => undefined);
    await linkTo(other);
    await other.close();
    while (bench.server.list().length > 1) await settle(1);
    stop();
    await settle();
    expect(resources()).to.deep.equal(before);
    expect(other.clock.pending).to.equal(0);
    expect(other.counts).to.deep.equal({ links: 0, listeners: 0, advertisements: 0, peripherals: 0 });
  });

  it('while a connect is under way and another waits: both are told, and it closes', async () => {
    for (const address of [DEVICE, OTHER_DEVICE]) {
      await bench.device({ address });
      await heard(radio, from(address));
    }
    bench.air.place(DEVICE, { inRange: false });
    const connecting = [radio.connect(DEVICE, PROFILE)(), radio.connect(OTHER_DEVICE, PROFILE)()];
    await settle();
    await radio.close();
    const errors = (await Promise.all(connecting)).map(left);
    expect(errors).to.deep.equal([
      { _tag: 'Closed', address: DEVICE },
      { _tag: 'Closed', address: OTHER_DEVICE },
    ]);
    expect(radio.clock.pending).to.equal(0);
  });

  it('while a device is being discovered: the connect is told, and the device let go', async () => {
    const { device, connecting } = await discovering(bench, radio);
    await radio.close();
    expect(left(await connecting)).to.deep.equal({ _tag: 'Closed', address: DEVICE });
    expect((await device.host.disconnected()).reason).to.equal(0x13);
  });

  it('while operations run and wait: all are told, and the device let go in order', async () => {
    const device = await AttDevice.on(bench.air, DEVICE);
    const link = await linkTo(radio);
    device.answers = { [Att.write]: () => undefined };
    const asked = device.request(Att.write);
    const pending = [link.write(CHARACTERISTIC, Buffer.from([1]))(), link.read(CHARACTERISTIC)()];
    await asked;
    await radio.close();
    const closed = { _tag: 'Closed', address: DEVICE };
    expect((await Promise.all(pending)).map(left)).to.deep.equal([closed, closed]);
    expect((await device.host.disconnected()).reason).to.equal(0x13);
  });

  it('twice is closing once: both wait for the same end', async () => {
    await bench.device();
    const link = await linkTo(radio);
    let links: number | undefined;
    const [first, second] = [radio.close(), radio.close().then(() => (links = radio.counts.links))];
    await Promise.all([first, second]);
    expect([link.ended?._tag, links]).to.deep.equal(['Closed', 0]);
  });

  it('makes everything afterwards `Closed`', async () => {
    await bench.device();
    await heard(radio, from(DEVICE));
    await radio.close();
    expect(left(await radio.connect(DEVICE, PROFILE)())).to.deep.equal({ _tag: 'Closed', address: DEVICE });
  });
});

describe('A flood of strangers', () => {
  it('does not grow the memory', async function () {
    this.timeout(5000);
    const { gc } = globalThis;
    if (gc === undefined) this.skip();
    const bench = await Bench.open();
    const tap = new HciTap(bench.air);
    const radio = await bench.radio({ port: await tap.listen(), memory: { devices: 100, ms: 60_000 } });
    const seen = { count: 0 };
    const stop = radio.listen(() => void (seen.count += 1));
    const flood = async (first: number, count: number): Promise<void> => {
      const packets: Buffer[] = [];
      for (let index = first; index < first + count; index++) {
        const packet = bytes('04 3E 0F 02 01 00 01 00 00 00 00 00 C0 03 02 01 06 BA');
        packet.writeUInt32LE(index, 7);
        packets.push(packet);
      }
      tap.inject(...packets);
      while (seen.count < first + count) await settle(1);
    };
    await flood(0, 5_000);
    gc();
    const before = process.memoryUsage().heapUsed;
    await flood(5_000, 30_000);
    gc();
    const grown = process.memoryUsage().heapUsed - before;
    expect(radio.counts).to.include({ advertisements: 100, peripherals: 100 });
    // 30,000 of them kept would be about 30 MB.
    expect(grown).to.be.below(3_000_000);
    stop();
    await bench.close();
    await tap.close();
  });
});
