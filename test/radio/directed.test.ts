import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { isLeEvent } from '../support/hci-host.js';
import { CENTRAL, advertise, pair, scan } from '../support/hci-scenes.js';
import { play, scenes } from '../support/scenes.js';

const HIGH_DUTY = 1;
const toCentral = (type: number) => `peripheral advertise type=${type} peerAddress=${CENTRAL}`;
const [highDuty, lowDuty] = [toCentral(HIGH_DUTY), toCentral(4)];

const byTargetAlone = (advertise: string): string => `
  other joins 02:A1:B0:00:00:02; ${advertise}
  central scan; central hears 04 3E 0C 02 01 01 00 01 00 00 00 CE D1 00 C4, nothing
  other scan; other hears nothing`;

describe('Directed advertising', () => {
  scenes({
    'is received by its target, as ADV_DIRECT_IND without data, and by no other': byTargetAlone(lowDuty),
    'is received by its target alone at high duty cycle, too': byTargetAlone(highDuty),
    // Connectable, directed, legacy: 0x0015 (Core 5.4 Vol 4 Part E 7.7.65.13).
    'reports its target to an extended scanner': `
      ${lowDuty}; central extendedScan
      central hears 04 3E 1A 0D 01 15 00 00 01 00 00 00 CE D1 01 00 FF 7F C4 00 00 00 01 00 00 B0 A1 02 00`,
    'connects its target and no other': `
      other joins 02:A1:B0:00:00:02; ${lowDuty}
      other leCreateConnection; 100 ms; other hears nothing
      central leCreateConnection; central hears connectionComplete status=0`,
    'ends after 1.28 s at high duty cycle, with Connection Complete 0x3C': `
      ${highDuty}; 1279 ms; peripheral hears nothing
      1 ms; peripheral hears connectionComplete status=0x3c
      peripheral leSetAdvertisingParameters`,
    'does not end at low duty cycle': `${lowDuty}; 60000 ms; peripheral hears nothing`,
  });

  it('comes every 3.75 ms at high duty cycle, whatever interval the host has set', async () => {
    const { time, central, peripheral } = await pair({ pace: 'real' });
    const directed = { type: HIGH_DUTY, peerAddress: CENTRAL };
    await advertise(peripheral, { ...directed, intervalMin: 0x0800, intervalMax: 0x0800 });
    await scan(central, 0);
    await time.pass(15);
    expect(central.take(isLeEvent(LeSubevent.advertisingReport))).to.have.length(4);
  });

  it('has its whole duration again after a restart', async () => {
    const scene = await pair();
    await play(
      scene,
      `${highDuty}; 1000 ms; peripheral leSetAdvertisingEnable enable=0; peripheral leSetAdvertisingEnable
       1000 ms; peripheral hears nothing; 280 ms; peripheral hears connectionComplete status=0x3c`,
    );
    expect(scene.time.pending).to.equal(0);
  });
});
