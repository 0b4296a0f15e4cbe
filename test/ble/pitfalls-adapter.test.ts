import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { encodeCommandComplete } from '../../simulators/radio/host/event-packets.js';
import type { Advertisement } from '../../src/ble/ports.js';
import { AttDevice } from '../support/att-device.js';
import {
  CHARACTERISTIC,
  DEVICE,
  LIMITS,
  PROFILE,
  from,
  linkTo,
  nextAdvertisement,
  useRig,
} from '../support/bluetooth-fixture.js';
import { bytes, otherTurns, text, type Match } from '../support/hci-host.js';
import { HciTap } from '../support/hci-tap.js';
import { left, right } from '../support/either.js';

const command =
  (opcode: number): Match =>
  (packet) =>
    packet[0] === 0x01 && packet.readUInt16LE(1) === opcode;
const scanEnabled: Match = (packet) => command(0x200c)(packet) && packet[4] === 1;

/** An LE Advertising Report of an unknown device: connectable, random address, `data`, -70 dBm. */
const report = (address: number, type: number, data: Buffer): Buffer => {
  const header = Buffer.from([
    0x04,
    0x3e,
    data.length + 12,
    0x02,
    0x01,
    type,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    data.length,
  ]);
  header.writeUIntLE(address, 7, 6);
  return Buffer.concat([header, data, bytes('BA')]);
};

/** Errors of noble with adapters and scans, and their treatment here. */
describe('noble’s pitfalls with adapters', () => {
  const rig = useRig();
  let tap: HciTap;

  beforeEach(async () => {
    tap = new HciTap(rig.air);
    rig.radio = await rig.fixture.radio({ port: await tap.listen() });
  });

  afterEach(() => tap.close());

  /** The advertisements in packets that the adapter reports while it scans, up to the first that is `last`. */
  const heardIn = async (
    packets: readonly Buffer[],
    last: (advertisement: Advertisement) => boolean,
  ): Promise<readonly Advertisement[]> => {
    const advertisements: Advertisement[] = [];
    const stop = rig.radio.listen((advertisement) => advertisements.push(advertisement));
    await tap.fromHost.next(scanEnabled);
    tap.inject(...packets);
    await nextAdvertisement(rig.radio, last);
    stop();
    return advertisements;
  };

  it('9. the raw channel is used, despite the environment, so that buffer sizes are read', async () => {
    process.env['HCI_CHANNEL_USER'] = '1';
    await rig.device();
    const other = await rig.fixture.radio();
    const link = await linkTo(other);
    expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
    expect(process.env['HCI_CHANNEL_USER']).to.equal(undefined);
  });

  it('11. a refused scan is started again when nothing is received', async () => {
    await rig.device();
    tap.passes = (packet) => !scanEnabled(packet);
    const advertisement = rig.heard();
    await tap.fromHost.next(scanEnabled);
    tap.inject(encodeCommandComplete(0x200c, bytes('0C')));
    tap.passes = () => true;
    await otherTurns();
    rig.radio.time.advance(30_000);
    expect((await advertisement).address).to.equal(DEVICE);
  });

  it('11. a silent scan is restarted, a scan that receives packets is not', async () => {
    const stop = rig.radio.listen(() => undefined);
    await tap.fromHost.next(scanEnabled);
    rig.radio.time.advance(29_000);
    tap.inject(report(1, 0, Buffer.alloc(0)));
    await nextAdvertisement(rig.radio, () => true);
    await rig.radio.time.pass(29_000);
    expect(tap.fromHost.take(scanEnabled)).to.deep.equal([]);
    rig.radio.time.advance(1_000);
    await tap.fromHost.next(scanEnabled);
    stop();
  });

  it('12. a scan that another program has ended is resumed; a stopped scan is not', async () => {
    const stop = rig.radio.listen(() => undefined);
    await tap.fromHost.next(scanEnabled);
    // On a raw socket each host also receives the other hosts' commands of the same adapter.
    tap.inject(bytes('01 0C 20 02 00 00'));
    expect(text(await tap.fromHost.next(scanEnabled))).to.equal('01 0c 20 02 01 00');
    stop();
    await tap.fromHost.next((packet) => command(0x200c)(packet) && packet[4] === 0);
    tap.inject(bytes('01 0C 20 02 01 00'), bytes('01 0C 20 02 00 00'));
    await otherTurns();
    expect(tap.fromHost.take(scanEnabled)).to.deep.equal([]);
  });

  it('13. unknown devices are forgotten beyond a limit, in noble as well', async () => {
    const other = await rig.fixture.radio({ port: tap.port, memory: { devices: 50, ms: 60_000 } });
    const last = nextAdvertisement(other, from('00:00:00:00:03:E8'));
    for (let address = 1; address <= 1000; address++) tap.inject(report(address, 0, Buffer.alloc(0)));
    await last;
    expect([other.counts.advertisements, other.counts.peripherals]).to.deep.equal([50, 50]);
    await otherTurns();
    other.time.advance(60_001);
    expect([other.counts.advertisements, other.counts.peripherals]).to.deep.equal([0, 0]);
    expect(other.time.pending).to.equal(0);
  });

  it('13. a device is not forgotten while it is connected or being connected', async () => {
    await rig.device();
    const other = await rig.fixture.radio({ memory: { devices: 50, ms: 1_000 } });
    const link = await linkTo(other);
    other.time.advance(1_001);
    expect([other.counts.advertisements, other.counts.peripherals]).to.deep.equal([0, 1]);
    await link.disconnect();
    await otherTurns();
    expect(other.counts.peripherals).to.equal(0);
    await nextAdvertisement(other, from(DEVICE));
    rig.outOfRange();
    const connecting = other.connect(DEVICE, PROFILE)();
    await otherTurns();
    other.time.advance(LIMITS.connect);
    expect(left(await connecting)._tag).to.equal('Timeout');
    expect(other.counts.peripherals).to.equal(0);
  });

  it('14. the first advertisement is reported, before any scan response', async () => {
    const advertisements = await heardIn(
      [
        report(0xd1ce00000009, 0, bytes('02 01 06 03 03 0F 18')),
        report(0xd1ce00000009, 4, bytes('04 09 41 42 00')),
      ],
      ({ name }) => name === 'AB',
    );
    expect(
      advertisements.map(({ name, rssi, serviceUuids }) => ({ name, rssi, serviceUuids })),
    ).to.deep.equal([
      { name: null, rssi: -70, serviceUuids: ['180f'] },
      { name: 'AB', rssi: -70, serviceUuids: ['180f'] },
    ]);
  });

  it('14. service data is reported as in each packet, even after later packets', async () => {
    const advertisements = await heardIn(
      [
        ...['04 16 0F 18 01', '04 16 0F 18 02'].map((data) => report(9, 0, bytes(data))),
        report(9, 4, bytes('04 16 0A 18 03')),
      ],
      ({ serviceData }) => serviceData.length === 2,
    );
    const data = advertisements.map(({ serviceData }) =>
      serviceData.map((entry) => `${entry.uuid} ${text(entry.data)}`),
    );
    expect(data).to.deep.equal([['180f 01'], ['180f 02'], ['180f 02', '180a 03']]);
  });

  it('have no signal strength in advertisements with an RSSI of 127', async () => {
    // Core 5.4 Vol 4 Part E 7.7.65.2: ADV_IND of a random address, flags, RSSI 0x7F.
    const packet = bytes('04 3E 0F 02 01 00 01 09 00 00 00 CE D1 03 02 01 06 7F');
    const [advertisement] = await heardIn([packet], from('D1:CE:00:00:00:09'));
    expect(advertisement?.rssi).to.equal(null);
  });

  it('15. the requested supervision timeout is 4 s', async () => {
    await rig.device();
    await rig.link();
    const create = await tap.fromHost.next(command(0x200d));
    // In units of 10 ms at offset 23 (Core 5.4 Vol 4 Part E 7.8.12).
    expect(create.readUInt16LE(23)).to.equal(400);
  });

  it('16. a device that was never connected is not disconnected, and handle 0 is not used', async () => {
    await AttDevice.on(rig.air, DEVICE);
    await rig.heard();
    rig.outOfRange();
    const abort = new AbortController();
    const connecting = rig.connect(DEVICE, abort.signal);
    await tap.fromHost.next(command(0x200d));
    abort.abort();
    expect(left(await connecting)).to.deep.equal({ _tag: 'Closed', address: DEVICE });
    await rig.radio.close();
    expect(tap.fromHost.take(command(0x0406))).to.deep.equal([]);
  });

  it('17. a truncated event is reported and dropped, and the next event is processed', async () => {
    await rig.device();
    const link = await rig.link();
    tap.inject(
      bytes('04 05 01 00'),
      bytes('04 3E 04 01 00 40 00'),
      bytes('04 0E 01 01'),
      bytes('02 40 20 00 00'),
    );
    expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
    expect(rig.radio.warnings).to.have.length(4);
    expect(rig.radio.warnings[0]).to.equal('dropped an HCI packet that cannot be read: 04050100');
  });
});
