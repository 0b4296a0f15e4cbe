import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Broadcast, nameResponse, type AdvertisementForm } from '../../simulators/devices/cgd1/broadcast.js';
import { manualTime } from '../support/manual-time.js';

const usual: AdvertisementForm = { header: 0x08, batteryFlag: false, withBattery: true };

const startBroadcast = (form: AdvertisementForm = usual) => {
  const time = manualTime();
  const advertised: string[] = [];
  const scene = { listened: true, temperature: 21.5, battery: 100 };
  const broadcast = new Broadcast({
    address: '58:2D:34:50:A0:D0',
    time,
    form,
    measured: () => ({ reading: { temperature: scene.temperature, humidity: 45 }, battery: scene.battery }),
    listened: () => scene.listened,
    advertise: (advertisement) => advertised.push(advertisement.toString('hex')),
  });
  return { broadcast, time, scene, notified: () => advertised.splice(0) };
};

/** Flags, then service data of 0xFDCD or 0xFE95; docs/cgd1-protocol.md §1. */
const readings = '02010614' + '16cdfd' + '080c' + 'd0a050342d58' + '0104d700c201' + '020164';
const beacon = (counter: string): string => '0201060f' + '1695fe' + `30587605${counter}d0a050342d5808`;

describe('The broadcast of a clock', () => {
  it('begins with its readings, and then alternates with the packet of Xiaomi each second', () => {
    const { broadcast, time, scene, notified } = startBroadcast();
    broadcast.start();
    expect(notified()).to.deep.equal([readings]);
    time.advance(999);
    expect(notified()).to.deep.equal([]);
    time.advance(1);
    expect(notified()).to.deep.equal([beacon('01')]);
    scene.temperature = -0.1;
    time.advance(2000);
    const cold = readings.replace('d700c2', 'ffffc2');
    expect(notified()).to.deep.equal([cold, beacon('02')]);
    broadcast.start();
    expect(notified(), 'when it begins again').to.deep.equal([cold]);
    expect(time.pending).to.equal(1);
  });

  it('counts its packets of Xiaomi in a byte', () => {
    const { broadcast, time, notified } = startBroadcast();
    broadcast.start();
    time.advance(2 * 256 * 1000);
    const beacons = notified().filter((packet) => packet.startsWith('0201060f'));
    expect(beacons.slice(-2)).to.deep.equal([beacon('ff'), beacon('00')]);
  });

  it('does not alternate without a scanner', () => {
    const { broadcast, time, scene, notified } = startBroadcast();
    scene.listened = false;
    broadcast.start();
    time.advance(5000);
    expect(notified()).to.deep.equal([readings]);
    scene.listened = true;
    time.advance(1000);
    expect(notified()).to.deep.equal([beacon('01')]);
  });

  it('ends without a timer left', () => {
    const { broadcast, time, notified } = startBroadcast();
    broadcast.stop();
    broadcast.start();
    broadcast.stop();
    time.advance(5000);
    expect(notified()).to.deep.equal([readings]);
    expect(time.pending).to.equal(0);
  });

  it('has the advertised forms of other clocks', () => {
    const { broadcast, notified } = startBroadcast({ header: 0x88, batteryFlag: true, withBattery: true });
    broadcast.start();
    expect(notified()).to.deep.equal([readings.replace('080cd0', '880cd0').replace(/64$/, 'e4')]);
    const old = startBroadcast({ ...usual, withBattery: false });
    old.broadcast.start();
    expect(old.notified()).to.deep.equal([readings.replace('02010614', '02010611').replace(/020164$/, '')]);
  });
});

describe('The name of a clock on the air', () => {
  it('ends with a NUL, and is left out if it is empty', () => {
    expect(nameResponse('Clock').toString('hex')).to.equal('0709436c6f636b00');
    expect(nameResponse('').toString('hex')).to.equal('');
  });
});
