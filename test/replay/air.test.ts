/** Packets of the air, as a sniffer heard them: which are taken, and the HCI packets that they become. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bytes, text } from '../support/hci-host.js';
import { linesOf, recordsOf, refusalOf } from './captures.js';
import { AIR, air, airFile, bareAir, type Air } from './forms.js';

const atMs = (ms: number, packet: Buffer, fromCentral?: boolean): Air => ({
  at: ms * 1000,
  packet,
  fromCentral,
});
const CONNECTED = [atMs(0, AIR.connectInd), atMs(10, AIR.mtuRequest)];
const damaged = (packet: Buffer): Buffer => {
  const copy = Buffer.from(packet);
  copy.writeUInt8(copy.readUInt8(12) ^ 0x10, 12);
  return copy;
};
const data = (pdu: string): Buffer => bytes(`78 56 34 50 ${pdu} 00 00 00`);

const COMPLETE = '> 4 3e 13 01 00 01 00 00 01 01 00 00 ee ff c0 18 00 00 00 2a 00 00';
const MTU_REQUEST = '< 2 01 00 07 00 03 00 04 00 02 05 02';
const MTU_RESPONSE = '> 2 01 20 07 00 03 00 04 00 03 41 00';

describe('Packets of the air', () => {
  const read = async (...contents: readonly Air[]): Promise<readonly string[]> =>
    linesOf(await recordsOf(bareAir(contents)));

  it('become the reports, the connection and the data of HCI', async () => {
    const contents = [AIR.advertisement, AIR.scanResponse, AIR.connectInd, AIR.mtuRequest, AIR.mtuResponse];
    expect(await read(...contents.map((packet, at) => atMs(at, packet)))).to.deep.equal([
      '> 4 3e 13 02 01 00 01 01 00 00 ee ff c0 07 02 01 06 03 03 0d 18 7f',
      '> 4 3e 13 02 01 04 01 01 00 00 ee ff c0 07 06 09 53 74 72 61 70 7f',
      ...[COMPLETE, MTU_REQUEST, MTU_RESPONSE],
    ]);
  });

  it('with a wrong CRC are ignored; a CRC of zeros was not recorded', async () => {
    expect(await read(atMs(0, damaged(AIR.advertisement)))).to.deep.equal([]);
    expect(await read(atMs(0, damaged(AIR.connectInd)), atMs(1, AIR.mtuRequest))).to.deep.equal([
      '< 2 ff 0e 07 00 03 00 04 00 02 05 02',
    ]);
    expect(await read(...CONNECTED, atMs(20, damaged(AIR.mtuResponse)))).to.deep.equal([
      COMPLETE,
      MTU_REQUEST,
    ]);
    expect(await read(...CONNECTED, atMs(20, data('06 07 03 00 04 00 03 41 00')))).to.deep.equal([
      ...[COMPLETE, MTU_REQUEST, MTU_RESPONSE],
    ]);
  });

  it('are ignored if the sniffer found them damaged', async () => {
    // The flags of a radio header: CRC checked, and wrong; those of the nRF sniffer without the bit of a right CRC.
    const radio = airFile(256, () => bytes('25 C4 00 00 00000000 01 04'), [atMs(0, AIR.advertisement)]);
    const nordic = airFile(272, () => bytes('14 1D 00 03 01 00 02 0A 00 25 3C 00 00 00000000'), [
      atMs(0, AIR.advertisement),
    ]);
    for (const file of [radio, nordic]) expect(await recordsOf(file)).to.deep.equal([]);
  });

  it('of the nRF sniffer have a header of four versions', async () => {
    // Wireshark's packet-nordic_ble.c: board or marker, header, then CRC right, from the central, channel 3, -60 dBm.
    for (const header of [
      'BE EF 06 0000 0000 19 03 03 3C 0000 00000000',
      '14 06 1A 01 0100 06 0A 03 03 3C 0000 00000000',
      '14 1A00 02 0100 06 0A 03 03 3C 0000 00000000',
      '14 1A00 03 0100 06 0A 03 03 3C 0000 00000000',
    ])
      expect(
        linesOf(await recordsOf(airFile(272, () => bytes(header), [atMs(0, AIR.mtuRequest)]))),
      ).to.deep.equal(['< 2 ff 0e 07 00 03 00 04 00 02 05 02']);
    const request = airFile(272, () => bytes('14 1000 03 0100 07 0A 03 03 3C 0000 00000000'), CONNECTED);
    expect(await recordsOf(request), 'a request of the host').to.deep.equal([]);
  });

  it('on the coded PHY have an octet after the access address', async () => {
    const { advertisement } = AIR;
    const packet = Buffer.concat([advertisement.subarray(0, 4), bytes('00'), advertisement.subarray(4)]);
    const file = airFile(256, () => bytes('25 C4 00 00 00000000 01 8C'), [atMs(0, packet)]);
    expect(await recordsOf(file)).to.have.length(1);
  });

  it('count once if they are sent again without an acknowledgement; an equal value later counts', async () => {
    const value = '0A 08 04 00 04 00 1B 12 00 48';
    const times = [30, 60, 120];
    const values = (await read(...CONNECTED, ...times.map((ms) => atMs(ms, data(value))))).filter((line) =>
      line.includes('1b 12'),
    );
    expect(values).to.have.length(2);
  });

  const VALUE = data('06 08 04 00 04 00 1B 12 00 48');
  const valuesIn = async (...contents: readonly Air[]): Promise<number> =>
    (await read(...CONNECTED, ...contents)).filter((line) => line.includes('1b 12')).length;

  it('count once however late they are sent again, if a lost answer was empty', async () => {
    expect(await valuesIn(atMs(20, VALUE), atMs(40, data('0D 00')), atMs(500, VALUE))).to.equal(1);
  });

  it('count each if the other side has acknowledged another one between', async () => {
    const [acknowledged, another] = [data('0D 00'), data('01 00')];
    expect(
      await valuesIn(atMs(20, VALUE), atMs(30, acknowledged), atMs(40, another), atMs(40, VALUE)),
    ).to.equal(2);
  });

  it('count each after an interval and a half, which an update of the connection changes', async () => {
    const update = data('0F 0C 00 01 00 00 06 00 00 00 2A 00 10 00');
    expect(await valuesIn(atMs(20, VALUE), atMs(35, VALUE))).to.equal(1);
    expect(await valuesIn(atMs(15, update), atMs(20, VALUE), atMs(35, VALUE))).to.equal(2);
  });

  it('begin one link by CONNECT_IND heard twice, and another by a later one with the same access address', async () => {
    const again = [atMs(0, AIR.connectInd), ...CONNECTED, atMs(5000, AIR.connectInd)];
    const second = [COMPLETE, MTU_REQUEST].map((line) =>
      line.replace('01 00 01', '01 00 02').replace('2 01', '2 02'),
    );
    expect(second).not.to.include(COMPLETE);
    expect(await read(...again, atMs(5010, AIR.mtuRequest))).to.deep.equal([
      COMPLETE,
      MTU_REQUEST,
      ...second,
    ]);
  });

  it('are damaged if they end before their PDU, unless the capture has cut them', async () => {
    const contents = [...CONNECTED, atMs(20, data('06 40 3C 00 04 00 1B 12 00'))];
    expect(await read(...contents)).to.deep.equal([COMPLETE, MTU_REQUEST]);
    const file = bareAir(contents);
    file.writeUInt32LE(4 + 2 + 0x40 + 3, file.length - (4 + 2 + 7 + 3) - 4);
    const cut = (await recordsOf(file)).at(-1);
    expect(cut?.whole).to.equal(false);
    expect(text(cut?.body ?? Buffer.alloc(0))).to.contain('3c 00 04 00 1b 12 00');
  });

  it('have their sender by sequence numbers, corrected by requests and responses', async () => {
    // SN 0 and NESN 1 are of the peripheral, with a request of its own; then a damaged packet has swapped both.
    expect(
      await read(
        ...[...CONNECTED, atMs(20, data('06 07 03 00 04 00 02 65 00'))],
        ...[atMs(30, data('06 07 03 00 04 00 0A 03 00')), atMs(40, data('02 06 02 00 04 00 0B 01'))],
        ...[atMs(50, data('02 08 04 00 04 00 1B 12 00 48')), atMs(60, data('06 05 01 00 04 00 1E'))],
      ),
    ).to.deep.equal([
      ...[COMPLETE, MTU_REQUEST, '> 2 01 20 07 00 03 00 04 00 02 65 00'],
      ...['< 2 01 00 07 00 03 00 04 00 0a 03 00', '> 2 01 20 06 00 02 00 04 00 0b 01'],
      ...['> 2 01 20 08 00 04 00 04 00 1b 12 00 48', '< 2 01 00 05 00 01 00 04 00 1e'],
    ]);
  });

  it('show the end of a link and its encryption; CONNECT_IND alone is no link', async () => {
    expect(await read(atMs(0, AIR.connectInd))).to.deep.equal([]);
    const [startEncryption, terminate] = [data('03 01 05'), data('0F 02 02 13')];
    expect(await read(...CONNECTED, atMs(20, startEncryption), atMs(30, terminate))).to.deep.equal([
      ...[COMPLETE, MTU_REQUEST, '> 4 08 04 00 01 00 01', '> 4 05 04 00 01 00 13'],
    ]);
  });

  it('whose CONNECT_IND the sniffer missed are of a link that began before', async () => {
    const missed = bareAir(air.filter(({ packet }) => packet !== AIR.connectInd));
    expect(await refusalOf(missed)).to.equal(
      'the link in it began before the recording: begin to record, then connect',
    );
  });
});
