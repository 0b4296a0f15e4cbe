import { expect } from 'chai';
import { describe, it } from 'mocha';
import { commandName, commands } from '../../src/ble/hci/commands.js';
import { enabledSet, extendedConnectionPhy, extendedScanPhy } from '../../src/ble/hci/extended-commands.js';
import { goldenCommands } from '../support/golden-commands.js';
import { bytes, text } from '../support/hci-host.js';

describe('HCI commands', () => {
  for (const { name, packet, encoded, rewritten } of goldenCommands) {
    it(`encode, name and decode ${name}: ${text(packet)}`, () => {
      expect(text(encoded())).to.equal(text(packet));
      expect(commandName(packet.readUInt16LE(1))).to.equal(name);
      expect(text(rewritten())).to.equal(text(packet.subarray(4)));
    });
  }

  it('all have golden bytes', () => {
    expect(Object.keys(commands).toSorted()).to.deep.equal(goldenCommands.map(({ name }) => name).toSorted());
  });

  it('have no name for an unknown opcode', () => {
    expect(commandName(0xfc01)).to.equal(undefined);
  });
});

/** Core 5.4 Vol 4 Part E 7.8.56, 7.8.64, 7.8.66. */
describe('The tails of extended commands', () => {
  it('encode and decode an enabled set', () => {
    const set = { set: 2, duration: 0x0102, maxEvents: 3 };
    expect(text(enabledSet.write(set))).to.equal('02 02 01 03');
    expect(enabledSet.read(bytes('02 02 01 03'))).to.deep.equal(set);
  });

  it('encode and decode the scanning parameters of a PHY', () => {
    const phy = { type: 1, interval: 0x12, window: 0x10 };
    expect(text(extendedScanPhy.write(phy))).to.equal('01 12 00 10 00');
    expect(extendedScanPhy.read(bytes('01 12 00 10 00'))).to.deep.equal(phy);
  });

  it('encode and decode the connection parameters of a PHY', () => {
    const phy = {
      scanInterval: 0x60,
      scanWindow: 0x30,
      connectionIntervalMin: 6,
      connectionIntervalMax: 12,
      maxLatency: 1,
      supervisionTimeout: 200,
      minCeLength: 2,
      maxCeLength: 3,
    };
    const written = '60 00 30 00 06 00 0c 00 01 00 c8 00 02 00 03 00';
    expect(text(extendedConnectionPhy.write(phy))).to.equal(written);
    expect(extendedConnectionPhy.read(bytes(written))).to.deep.equal(phy);
  });
});
