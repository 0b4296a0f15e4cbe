import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readIndex } from '../../src/ble/hci/vhci.js';

const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const RESET = '01 03 0c 00';

describe('The index of an adapter of the kernel', () => {
  for (const [position, read, sent] of [
    ['alone', 'ff 00 0a 01', ''],
    ['before the first command', `ff 00 0a 01 ${RESET}`, RESET],
    ['after the first command', `${RESET} ff 00 0a 01`, RESET],
    ['between two commands', `01 01 0c 01 ff ff 00 0a 01 ${RESET}`, `01 01 0c 01 ff ${RESET}`],
  ] as const) {
    it(`is read ${position}, and leaves the commands`, () => {
      expect(readIndex(bytes(read))).to.deep.equal({ index: 0x010a, sent: bytes(sent) });
    });
  }

  it('is not in the packets of the host', () => {
    expect(readIndex(bytes(`${RESET} ${RESET}`))).to.equal(undefined);
  });
});
