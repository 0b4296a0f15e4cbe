import { expect } from 'chai';
import { describe, it } from 'mocha';
import { send } from '../support/command-rows.js';
import { CENTRAL, NOBODY, pair } from '../support/hci-scenes.js';
import { scenes } from '../support/scenes.js';

const OTHER = 'D1:CE:00:00:00:02';

describe('The filter accept list', () => {
  scenes({
    'limits the reports of a filtered scan to its devices': `
      other joins ${OTHER}; peripheral advertise; other advertise
      central leAddToFilterAcceptList address=${OTHER}; central scan filterPolicy=1
      central hears 2 advertisingReport address=${OTHER}, nothing`,
    'distinguishes a public address from a random one': `
      peripheral advertise
      central leAddToFilterAcceptList addressType=1; central scan filterPolicy=1; central hears nothing`,
    'lets a central connect to the first of its devices that is received': `
      other joins ${OTHER}; peripheral advertise; central leAddToFilterAcceptList address=${OTHER}
      central leCreateConnection peerAddress=${NOBODY} filterPolicy=1; central hears nothing
      other advertise; central hears connectionComplete peerAddress=${OTHER}`,
    'limits connections to an advertiser to its devices': `
      stranger joins 02:A1:B0:00:00:02
      peripheral leAddToFilterAcceptList address=${CENTRAL}; peripheral advertise filterPolicy=2
      stranger leCreateConnection; stranger hears nothing
      central leCreateConnection; peripheral hears connectionComplete peerAddress=${CENTRAL}`,
    'limits scan responses to its devices': `
      stranger joins 02:A1:B0:00:00:02
      peripheral leAddToFilterAcceptList address=${CENTRAL}; peripheral advertise filterPolicy=1
      central scan; central hears advertisingReport type=0, advertisingReport type=4
      stranger scan; stranger hears advertisingReport type=0, nothing`,
    'has one entry for all anonymous advertisers': `
      peripheral advertiseSet properties=0x20
      central extendedScan filterPolicy=1; central hears nothing; central leSetExtendedScanEnable enable=0
      central leAddToFilterAcceptList addressType=0xff address=${NOBODY}
      central extendedScan filterPolicy=1; central hears extendedAdvertisingReport`,
    'forgets a removed device, and all devices at a reset': `
      peripheral advertise; central leAddToFilterAcceptList; central leRemoveFromFilterAcceptList
      central scan filterPolicy=1; central hears nothing
      central begins; central leAddToFilterAcceptList; central begins
      central scan filterPolicy=1; central hears nothing`,
  });

  it('has room for the reported number of devices, and refuses one more with 0x07', async () => {
    const { central } = await pair();
    const { size = 0 } = (await central.returned('leReadFilterAcceptListSize', {})) ?? {};
    expect(size).to.equal(16);
    const accept = (at: number): Promise<number> =>
      send(central, `leAddToFilterAcceptList address=D1:CE:00:00:01:${at + 10}`);
    for (let at = 0; at < size; at++) expect(await accept(at)).to.equal(0);
    expect(await accept(size)).to.equal(0x07);
    expect(await accept(0), 'there already').to.equal(0);
    expect(await send(central, 'leClearFilterAcceptList')).to.equal(0);
    expect(await accept(size)).to.equal(0);
  });
});
