import { expect } from 'chai';
import { describe, it } from 'mocha';
import { commandName, commands } from '../../src/ble/hci/commands.js';
import { goldenCommands } from '../support/golden-commands.js';
import { text } from '../support/hci-host.js';

describe('HCI commands', () => {
  for (const { name, packet, encoded, rewritten } of goldenCommands) {
    it(`${name} is ${text(packet)}`, () => {
      expect(text(encoded())).to.equal(text(packet));
    });

    it(`${name} is known by its opcode, and read from those bytes`, () => {
      expect(commandName(packet.readUInt16LE(1))).to.equal(name);
      expect(text(rewritten())).to.equal(text(packet.subarray(4)));
    });
  }

  it('are all among the golden ones', () => {
    expect(Object.keys(commands).toSorted()).to.deep.equal(goldenCommands.map(({ name }) => name).toSorted());
  });

  it('are answered by Command Status where an event follows, by Command Complete otherwise', () => {
    // Core 5.4 Vol 4 Part E: 7.1.6, 7.1.23, 7.8.12, 7.8.18, 7.8.21, 7.8.24, 7.8.36, 7.8.37, 7.8.49, 7.8.66.
    const begun = Object.values(commands)
      .filter(({ returns }) => returns === undefined)
      .map(({ opcode }) => opcode);
    expect(begun.toSorted()).to.deep.equal([
      0x0406, 0x041d, 0x200d, 0x2013, 0x2016, 0x2019, 0x2025, 0x2026, 0x2032, 0x2043,
    ]);
  });

  it('have no name for an opcode of nobody', () => {
    expect(commandName(0xfc01)).to.equal(undefined);
  });
});
