/**
 * The content of a Command Complete whose command failed: the Connection_Handle that the command named, and all other
 * return parameters at their size (Core 5.4 Vol 4 Part E 4.5 and 7). The bytes are written by hand from those layouts.
 */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bytes, text } from '../support/hci-host.js';
import { linked } from '../support/hci-scenes.js';

const KEY = '00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F';

/** HH stands for a handle. The link's own is 0x0040, and nobody asked either of its ends for anything. */
const onALink = [
  ['Read Transmit Power Level with Type 2', '01 2D 0C 03 HH 02', '04 0E 07 01 2D 0C 12 HH 00'],
  ['LE Long Term Key Request Reply', `01 1A 20 12 HH ${KEY}`, '04 0E 06 01 1A 20 0C HH'],
  ['LE Long Term Key Request Negative Reply', '01 1B 20 02 HH', '04 0E 06 01 1B 20 0C HH'],
  [
    'LE Remote Connection Parameter Request Reply',
    '01 20 20 0E HH 06 00 0C 00 00 00 C8 00 00 00 00 00',
    '04 0E 06 01 20 20 0C HH',
  ],
  ['LE Remote Connection Parameter Request Negative Reply', '01 21 20 03 HH 3B', '04 0E 06 01 21 20 0C HH'],
  ['LE Set Data Length with 26 octets', '01 22 20 06 HH 1A 00 48 08', '04 0E 06 01 22 20 12 HH'],
] as const;

const at = (packet: string, handle: string): string => packet.replace('HH', handle);

describe('A command that fails names its link', () => {
  for (const [what, command, answer] of onALink) {
    it(what, async () => {
      const { central } = await linked();
      expect(text(await central.answer(bytes(at(command, '40 00'))))).to.equal(
        text(bytes(at(answer, '40 00'))),
      );
    });
  }
});
