import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent } from '../../src/ble/hci/packets.js';
import { bytes, isAcl, isLeEvent, otherTurns } from '../support/hci-host.js';
import { linked, UPDATE } from '../support/hci-scenes.js';
import { scenes } from '../support/scenes.js';

const updateComplete = isLeEvent(LeSubevent.connectionUpdateComplete);

describe('A connection update', () => {
  scenes(
    {
      'is reported to both sides with the values in force': `
        central leConnectionUpdate
        central hears 04 3E 0A 03 00 40 00 18 00 03 00 2C 01
        peripheral hears 04 3E 0A 03 00 40 00 18 00 03 00 2C 01`,
      'is refused with 0x12 and changes nothing if the specification forbids its values': `
        central leConnectionUpdate connectionIntervalMin=5 -> 0x12
        central leConnectionUpdate supervisionTimeout=20 -> 0x12
        central leConnectionUpdate maxLatency=500 -> 0x12; central hears nothing`,
    },
    linked,
  );

  it('changes the times of packets and the supervision timeout', async () => {
    const scene = await linked({ pace: 'real' });
    const { air, time, central, peripheral, centralHandle: handle, hearsEnd } = scene;
    const arrival = async (): Promise<number> => {
      central.acl(handle, 0, bytes('01 00 04 00 0B'));
      while (peripheral.take(isAcl).length === 0) {
        time.advance(0.25);
        await otherTurns(3);
      }
      return time.now();
    };
    const interval = async (): Promise<number> => -(await arrival()) + (await arrival());
    expect(await interval()).to.be.closeTo(7.5, 0.25);
    await central.status('leConnectionUpdate', { handle, ...UPDATE });
    await otherTurns();
    time.advance(7.5);
    await peripheral.next(updateComplete);
    // 24 × 1.25 ms
    expect(await interval()).to.be.closeTo(30, 0.25);
    air.setReception(peripheral.address, { inRange: false });
    await time.pass(2999);
    expect(hearsEnd(central)).to.equal(false);
    time.advance(1);
    expect((await central.disconnected()).reason).to.equal(0x08);
  });
});

/** Core 5.4 Vol 6 Part B 5.1.7. */
describe('A peripheral that wants other connection parameters', () => {
  const ask = 'peripheral leConnectionUpdate; central hears remoteConnectionParameterRequest';
  scenes(
    {
      'leaves the decision to the central’s host': `
        peripheral leConnectionUpdate; central hears 04 3E 0B 06 40 00 18 00 28 00 03 00 2C 01`,
      'receives the parameters in force once the central’s host agrees': `
        ${ask}; central leRemoteConnectionParameterRequestReply connectionIntervalMin=32 -> handle=0x40
        peripheral hears 04 3E 0A 03 00 40 00 20 00 03 00 2C 01
        central hears 04 3E 0A 03 00 40 00 20 00 03 00 2C 01`,
      // Status 0x3B, and the parameters as they were: 7.5 ms, 0, 1 s.
      'receives the reason if the central’s host refuses': `
        ${ask}; central leRemoteConnectionParameterRequestNegativeReply -> handle=0x40
        peripheral hears 04 3E 0A 03 3B 40 00 06 00 00 00 64 00; central hears nothing`,
      'receives 0x1A if the central’s host has masked the request': `
        central leSetEventMask mask=x1F00000000000000; peripheral leConnectionUpdate
        peripheral hears connectionUpdateComplete status=0x1a; central hears nothing`,
      'receives an answer after a reply with values out of range, and may ask again': `
        ${ask}; central leRemoteConnectionParameterRequestReply supervisionTimeout=9 -> 0x12
        central leRemoteConnectionParameterRequestReply
        peripheral hears 04 3E 0A 03 00 40 00 18 00 03 00 2C 01
        central hears connectionUpdateComplete; ${ask}`,
      'does not keep the central from its own update': `
        ${ask}; central leConnectionUpdate; peripheral hears 04 3E 0A 03 00 40 00 18 00 03 00 2C 01`,
      'cannot answer its own request: 0x0C': `
        ${ask}; peripheral leRemoteConnectionParameterRequestReply -> 0x0C
        peripheral leRemoteConnectionParameterRequestNegativeReply -> 0x0C; peripheral hears nothing
        central leRemoteConnectionParameterRequestReply`,
      'loses the link with 0x22 if it is never answered': `
        ${ask}; 40000 ms
        central hears disconnectionComplete reason=0x22; peripheral hears disconnectionComplete reason=0x22`,
    },
    linked,
  );
});

describe('The data length of a link', () => {
  scenes(
    {
      // 251 octets and 2120 µs one way, 27 and 328 as before the other way.
      'is reported to both sides when one of them sets it': `
        central leSetDataLength -> handle=0x40
        central hears 04 3E 0B 07 40 00 FB 00 48 08 1B 00 48 01
        peripheral hears 04 3E 0B 07 40 00 1B 00 48 01 FB 00 48 08`,
      'is 27 octets by default, and not reported again if it is in force already': `
        central hears nothing; central leSetDataLength txOctets=27 txTime=328
        central hears nothing; peripheral hears nothing`,
      'allows more time on the Coded PHY': `
        central leSetDataLength txTime=17040; central hears dataLengthChange maxTxTime=2120
        central leSetPhy txPhys=4 rxPhys=4
        central hears phyUpdateComplete, 04 3E 0B 07 40 00 FB 00 90 42 1B 00 48 01`,
    },
    linked,
  );
  scenes({
    // 17,040 µs are for the Coded PHY; the maximum on 1M is 2120.
    'is the length that the host suggested for new links': `
      central leWriteSuggestedDefaultDataLength txOctets=100 txTime=17040
      central leReadSuggestedDefaultDataLength -> txOctets=100 txTime=17040
      peripheral advertise; central leCreateConnection
      peripheral hears connectionComplete, 04 3E 0B 07 40 00 1B 00 48 01 64 00 48 08
      central hears connectionComplete, 04 3E 0B 07 40 00 64 00 48 08 1B 00 48 01`,
  });
});

describe('The PHY of a link', () => {
  scenes(
    {
      'is 1M at first': 'central leReadPhy -> handle=0x40 txPhy=1 rxPhy=1',
      // The peripheral's host does not prefer 2M for reception.
      'becomes the fastest that both sides prefer, for each direction, reported to both': `
        peripheral leSetDefaultPhy txPhys=3 rxPhys=5; central leSetPhy
        central hears 04 3E 06 0C 00 40 00 01 02; peripheral hears 04 3E 06 0C 00 40 00 02 01
        peripheral leReadPhy -> txPhy=2 rxPhy=1`,
      'can be changed by the peripheral': `
        peripheral leSetPhy txPhys=4 rxPhys=4 phyOptions=2; central hears 04 3E 06 0C 00 40 00 03 03`,
      'is reported to the requesting side alone if it does not change': `
        central leSetPhy txPhys=1 rxPhys=1
        central hears 04 3E 06 0C 00 40 00 01 01; peripheral hears nothing`,
      'stays when the two have no preference in common': `
        peripheral leSetDefaultPhy txPhys=1 rxPhys=1; central leSetPhy txPhys=2 rxPhys=2
        central hears 04 3E 06 0C 00 40 00 01 01`,
      'need not be named without a preference': 'central leSetPhy allPhys=3 txPhys=0 rxPhys=0',
    },
    linked,
  );
});

describe('The other side of a link', () => {
  const features = '04 3E 0C 04 00 40 00 EF 59 00 00 00 00 00 00';
  // Bluetooth 5.4, the company identifier for tests, subversion 1.
  const version = '04 0C 08 00 40 00 0D FF FF 01 00';
  scenes(
    {
      'reports its features to both hosts': `
        central leReadRemoteFeatures; central hears ${features}
        peripheral leReadRemoteFeatures; peripheral hears ${features}`,
      'reports its version to both hosts': `
        central readRemoteVersion; central hears ${version}
        peripheral readRemoteVersion; peripheral hears ${version}`,
      'does not report its features while it is out of range': `
        peripheral leaves; central leReadRemoteFeatures; central hears nothing`,
    },
    linked,
  );
});

describe('A link', () => {
  scenes(
    {
      'uses the channels that the central’s host allows': `
        central leReadChannelMap -> channelMap=xFFFFFFFF1F
        central leSetHostChannelClassification channelMap=xFFFF000000
        peripheral leReadChannelMap -> channelMap=xFFFF000000`,
      'has a power of 0 dBm, now and at most (Core 5.4 Vol 4 Part E 7.3.35)': `
        central readTransmitPowerLevel type=0 -> handle=0x40 level=0
        central readTransmitPowerLevel type=1 -> handle=0x40 level=0`,
      'leaves its peripheral no room for connectable advertising: 0x09': `
        peripheral leSetAdvertisingEnable -> 0x09
        peripheral leSetAdvertisingParameters type=3; peripheral leSetAdvertisingEnable`,
    },
    linked,
  );
  scenes({
    'has its channel selection algorithm reported right after the connection, if that is enabled': `
      central leSetEventMask mask=xFFFDFFFFFFFFFFFF; peripheral advertise; central leCreateConnection
      central hears connectionComplete, 04 3E 04 14 40 00 01`,
  });
});
