import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent, otherTurns } from '../support/hci-host.js';
import { advertise, linked, pair, scan } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

describe('At fast pace', () => {
  scenes({
    'every advertiser is reported immediately when a scan starts, then every 20 ms': `
      peripheral advertise type=3 intervalMin=0x4000 intervalMax=0x4000
      central scan; central hears advertisingReport, nothing; 19 ms; central hears nothing
      1 ms; central hears advertisingReport, nothing; 100 ms; central hears 5 advertisingReport, nothing`,
  });

  scenes(
    {
      'a host in another program that scans as Linux does gets no report for 20 ms': `
        peripheral advertise type=3; central extendedScan; 19 ms; central hears nothing
        1 ms; central hears extendedAdvertisingReport, nothing`,
    },
    () => pair({}, { isRemote: true }),
  );

  scenes(
    { 'packets pass immediately, without any time passing': 'central sends 01; peripheral hears data 01' },
    linked,
  );

  for (const [supervisionTimeout, ms] of [
    [3200, 200],
    [10, 100],
  ] as const) {
    scenes(
      {
        [`the supervision timeout is ${ms} ms if ${supervisionTimeout * 10} ms were agreed`]: `
          peripheral leaves; ${ms - 1} ms; central hears nothing
          1 ms; central hears disconnectionComplete reason=8`,
      },
      () => linked({}, { supervisionTimeout }),
    );
  }

  it('the time of devices runs 20 times as fast', async () => {
    const { air, time } = await pair();
    let done = false;
    air.deviceClock.after(1000, () => {
      done = true;
    });
    time.advance(49);
    expect(done).to.equal(false);
    time.advance(1);
    expect(done).to.equal(true);
  });
});

describe('At real pace', () => {
  it('advertising comes at the requested interval plus up to 10 ms of chance', async () => {
    const { time, central, peripheral } = await pair({ pace: 'real' });
    await advertise(peripheral, { type: 3 });
    await scan(central, 0);
    const report = isLeEvent(LeSubevent.advertisingReport);
    for (let event = 0; event < 20; event++) {
      // 0x00A0 × 0.625 ms = 100 ms.
      time.advance(99);
      await otherTurns(3);
      expect(central.take(report)).to.have.length(0);
      const from = time.now();
      while (central.take(report).length === 0) {
        expect(time.now() - from).to.be.below(12);
        time.advance(0.25);
        await otherTurns(3);
      }
    }
  });

  scenes(
    {
      'packets pass at connection events': `
        central sends 01; peripheral sends 02; peripheral hears nothing; central hears nothing
        7.5 ms; peripheral hears data 01; central hears data 02`,
      'a device that comes back before the timeout keeps its link and receives delayed packets': `
        peripheral leaves; central sends 01; 990 ms; peripheral returns; 5000 ms
        peripheral hears data 01, nothing; central hears nothing`,
      'a link without data does not time out': '60000 ms; central hears nothing',
    },
    () => linked({ pace: 'real' }),
  );
});

describe('Latency', () => {
  const late = () => linked({ latencyMs: 50 });

  scenes(
    {
      'delays every packet, even if an earlier packet is under way': `
        central sends 01; 30 ms; central sends 02; 20 ms; peripheral hears data 01, nothing
        29 ms; peripheral hears nothing; 1 ms; peripheral hears data 02`,
      'delays each direction separately': `
        central sends 01; 49 ms; peripheral sends 02; 1 ms; peripheral hears data 01; central hears nothing`,
    },
    late,
  );

  it('does not let a later packet overtake when it is lowered', async () => {
    const scene = await late();
    await play(scene, 'central sends 01');
    scene.air.configure({ latencyMs: 0 });
    await play(scene, 'central sends 02; 50 ms; peripheral hears data 01, data 02');
  });
});
