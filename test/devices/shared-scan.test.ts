import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { sharedScan } from '../../src/devices/shared-scan.js';
import type { Address } from '../../src/ble/ports.js';
import { right } from '../support/either.js';
import type { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const RED = 'D1:CE:00:00:00:01';
const GREEN = 'D1:CE:00:00:00:02';
const OTHER = 'D1:CE:00:00:00:03';

describe('Scans at the same time', () => {
  let time: ManualTime;
  let radio: FakeRadio;
  let shared: ReturnType<typeof sharedScan<string>>;
  let red: FakeDie;
  let green: FakeDie;
  /** The address and the earlier record of each packet that the shared scan has read. */
  let inputs: (readonly [Address, string | undefined])[];

  beforeEach(() => {
    time = manualTime();
    radio = new FakeRadio(time);
    red = radio.add(RED, { name: 'red' });
    green = radio.add(GREEN, { name: 'green' });
    inputs = [];
    shared = sharedScan(radio, ({ address, name, rssi }, before) => {
      inputs.push([address, before]);
      return address === OTHER ? undefined : `${name ?? ''} ${rssi}`;
    });
  });

  const scan = (secs: number) => shared.run({ time, ms: secs * 1000 })();

  /** Passes a second in which dice advertise. */
  const passSecond = (...advertising: readonly FakeDie[]): void => {
    for (const die of advertising) radio.advertise(die);
    time.advance(1000);
  };

  it('read each packet once, with one listener', async () => {
    const scans = Array.from({ length: 1000 }, () => scan(1));
    expect(radio.listeners.size).to.equal(1);
    radio.advertise(red);
    radio.advertise(red, { rssi: -61 });
    radio.advertise(green);
    expect(inputs).to.deep.equal([
      [RED, undefined],
      [RED, 'red -60'],
      [GREEN, undefined],
    ]);
    time.advance(1000);
    for (const devices of await Promise.all(scans))
      expect(right(devices)).to.deep.equal(['red -61', 'green -60']);
    expect(radio.listeners.size).to.equal(0);
    expect(radio.stateListeners.size).to.equal(0);
  });

  it('each have the packets received since they began', async () => {
    const long = scan(3);
    passSecond(red);
    const short = scan(1);
    passSecond(green);
    expect(right(await short)).to.deep.equal(['green -60']);
    radio.advertise(red, { rssi: -70 });
    time.advance(1000);
    expect(right(await long)).to.deep.equal(['green -60', 'red -70']);
  });

  it('forget devices of earlier scans', async () => {
    const first = scan(2);
    passSecond(red);
    const second = scan(2);
    passSecond(green);
    await first;
    radio.advertise(red);
    radio.advertise(green);
    expect(inputs.slice(2)).to.deep.equal([
      [RED, undefined],
      [GREEN, 'green -60'],
    ]);
    time.advance(1000);
    await second;
    const third = scan(1);
    passSecond(green);
    expect(right(await third)).to.deep.equal(['green -60']);
    expect(inputs.at(-1)).to.deep.equal([GREEN, undefined]);
  });

  it('leave out a device without a record', async () => {
    const devices = scan(1);
    passSecond(red, radio.add(OTHER));
    expect(right(await devices)).to.deep.equal(['red -60']);
  });
});
