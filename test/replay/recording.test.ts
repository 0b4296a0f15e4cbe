import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AdvertisingLog, type RecordedAdvertising } from '../../simulators/devices/recorded/advertising.js';
import { readRecording } from '../../simulators/devices/recorded/recording.js';
import { advertisingReports, type Report } from '../../simulators/ble/advertising-reports.js';
import { bytes, text } from '../support/hci-host.js';
import {
  COMMAND,
  EVENT,
  STRAP,
  altered,
  begins,
  capture,
  chunksOf,
  fileOf,
  linkMade,
  opcode,
  record,
  recorded,
  refusalOf,
  report,
  strap,
  without,
} from './captures.js';

const ADDRESS = 'C0:FF:EE:00:00:01';

/** The beginning of the strap's LE Connection Complete, up to its role. */
const MADE = '3e 13 01 00 01 00';

const advertisingOf = (reports: readonly Report[]): RecordedAdvertising => {
  const log = new AdvertisingLog();
  for (const report of reports) log.add(report);
  return log.recorded();
};

describe('A capture', () => {
  it('of the monitor is written here as BlueZ describes it, and Wireshark reads it', () => {
    expect(capture(...STRAP.slice(0, 3))).to.deep.equal(
      bytes(
        // File: version 1, datalink 2001. Records: a system note, New Index, LE Set Scan Enable.
        '62 74 73 6E 6F 6F 70 00 00 00 00 01 00 00 07 D1' +
          '00 00 00 13 00 00 00 13 FF FF 00 0C 00 00 00 00 00 E3 24 FB 55 4F C0 00' +
          '4C 69 6E 75 78 20 76 65 72 73 69 6F 6E 20 36 2E 31 32 00' +
          '00 00 00 10 00 00 00 10 00 00 00 00 00 00 00 00 00 E3 24 FB 55 4F C0 00' +
          '00 01 13 71 DA 7D 1A 00 68 63 69 30 00 00 00 00' +
          '00 00 00 05 00 00 00 05 00 00 00 02 00 00 00 00 00 E3 24 FB 55 4F C3 E8 0C 20 02 01 00',
      ),
    );
  });

  it('has the identity and the advertisements of the device', async () => {
    const { address, addressType, name, mtu, warnings, advertising } = await recorded(strap());
    expect({ address, addressType, name, mtu, warnings }).to.deep.equal({
      ...{ address: ADDRESS, addressType: 'random', name: 'Strap', mtu: 65, warnings: [] },
    });
    expect(
      advertising.payloads.map((payload) => [text(payload.advertisement), text(payload.scanResponse)]),
    ).to.deep.equal([['02 01 06 03 03 0d 18', '06 09 53 74 72 61 70']]);
  });

  it('has the attributes by handle, from every kind of discovery and from fragments', async () => {
    const table = [...((await recorded(strap())).links[0]?.table.values() ?? [])];
    expect(table.map(({ handle, type, end, properties }) => [handle, type, end, properties])).to.deep.equal([
      [0x01, '2800', 0x05, undefined],
      [0x02, '2803', 0x02, undefined],
      [0x03, '2a00', 0x03, 0x02],
      [0x10, '2800', 0x17, undefined],
      [0x11, '2803', 0x11, undefined],
      [0x12, '2a37', 0x12, 0x10],
      [0x13, '2902', 0x13, undefined],
      [0x14, '2803', 0x14, undefined],
      [0x15, '2a38', 0x15, 0x02],
      [0x16, '2803', 0x16, undefined],
      [0x17, '2a39', 0x17, 0x08],
    ]);
  });

  it('is cut at its writes, each with the values that follow in reads and notifications', async () => {
    const pieces = ((await recorded(strap())).links[0]?.pieces ?? []).map(
      ({ write, refused, reads, unsolicited }) => ({
        write: write && [write.handle, text(write.value)],
        refused,
        reads: [...reads].map(([handle, answers]) => [
          handle,
          answers.map((answer) => (answer.kind === 'value' ? text(answer.value) : answer.error)),
        ]),
        unsolicited: unsolicited.map((pdu) =>
          [pdu.kind === 'value' && [pdu.handle, text(pdu.value)], pdu.after].flat(),
        ),
      }),
    );
    expect(pieces).to.deep.equal([
      {
        write: undefined,
        refused: 0,
        reads: [[0x02, ['02 03 00 00 2a']], ...readsOfTheStart],
        unsolicited: [],
      },
      {
        ...{ write: [0x13, '01 00'], refused: 0, reads: [] },
        unsolicited: [
          [0x12, '00 48', 500],
          [0x12, '00 49', 1000],
        ],
      },
      { write: [0x17, '01'], refused: 0, reads: [[0x15, ['02']]], unsolicited: [[0x12, '08 4a 00 00', 40]] },
      { write: [0x17, '02'], refused: 0x80, reads: [], unsolicited: [] },
    ]);
  });

  const readsOfTheStart = [
    [0x11, ['10 12 00 37 2a']],
    [0x14, ['02 15 00 38 2a']],
    [0x16, ['08 17 00 39 2a']],
    [0x03, ['53 74 72 61 70']],
    [0x15, ['01']],
  ];

  it('needs the address of a device if it has several', async () => {
    const other = altered(STRAP, `${MADE} 00 01 01`, `${MADE} 00 01 02`);
    const both = capture(...STRAP, ...other);
    expect(await refusalOf(both)).to.equal(
      'it has several devices, choose one with --device: C0:FF:EE:00:00:01 Strap, C0:FF:EE:00:00:02',
    );
    expect((await recorded(both, 'C0:FF:EE:00:00:02')).address).to.equal('C0:FF:EE:00:00:02');
    expect(await refusalOf(both, 'C0:FF:EE:00:00:03')).to.equal(
      'it has no link to C0:FF:EE:00:00:03; it has links to C0:FF:EE:00:00:01 Strap, C0:FF:EE:00:00:02',
    );
  });

  it('names the devices with encrypted links apart from those to choose', async () => {
    const [first, second] = [[linkMade(0)], altered([linkMade(1)], `${MADE} 00 01 01`, `${MADE} 00 01 02`)];
    const encryption = record(2, EVENT, '08 04 00 01 00 01');
    expect(await refusalOf(capture(...first, ...second, encryption))).to.equal(
      'it has several devices, choose one with --device: C0:FF:EE:00:00:01; the links to C0:FF:EE:00:00:02 were encrypted',
    );
    expect(await refusalOf(capture(...first, encryption, ...second, encryption))).to.equal(
      'its links to C0:FF:EE:00:00:01, C0:FF:EE:00:00:02 were encrypted: ' +
        'pairing is not replayed, and encrypted data should not be replayed in the clear',
    );
  });
});

describe('A capture is refused, with the reason:', () => {
  const withoutDiscovery = without(
    ({ data }) => data.length > 8 && [0x11, 0x09, 0x07, 0x05].includes(data.readUInt8(8)),
  );

  for (const [contents, file, reason] of [
    [
      'another version',
      Buffer.concat([strap().subarray(0, 8), bytes('00000002000007D1')]),
      'version must be 1, got 2',
    ],
    [
      'another datalink',
      fileOf(1003, []),
      'its datalink must be 1001 (HCI), 1002 (H4) or 2001 (Linux monitor), got 1003',
    ],
    ['a file cut short', strap().subarray(0, -3), 'it is cut short: record 36, at byte 1362, is incomplete'],
    ['a file cut in a header', strap().subarray(0, 19), 'record 1, at byte 16, is incomplete'],
    ['no link', without((packet) => opcode(packet) !== COMMAND), 'it has no Bluetooth LE link'],
    ['a link from before', without((packet) => begins(packet, MADE)), 'began before the recording'],
    [
      'a device that recorded itself',
      capture(...altered(STRAP, `${MADE} 00 01`, `${MADE} 01 01`)),
      'it was recorded on the device itself',
    ],
    ['no discovery', withoutDiscovery, `no discovery of the services of ${ADDRESS} is in it`],
    [
      'an encrypted link',
      capture(...STRAP.toSpliced(7, 0, record(105, EVENT, '08 04 00 01 00 01'))),
      `the link to ${ADDRESS} was encrypted (record 8)`,
    ],
    [
      'packets of which only the beginning was kept',
      capture(...STRAP.map((raw) => (begins(raw, '01 20 0a 00') ? { ...raw, original: 200 } : raw))),
      'holds only the beginning of its packet',
    ],
  ] as const) {
    it(contents, async () => expect(await refusalOf(file)).to.contain(reason));
  }

  it('reports how to keep the whole records of a file that is cut short', async () => {
    const cut = strap().subarray(0, -3);
    const at = Number(/head -c (\d+)/.exec(await refusalOf(cut))?.[1]);
    expect((await recorded(cut.subarray(0, at))).address).to.equal(ADDRESS);
  });

  it('never by an exception, wherever it is cut or damaged', async () => {
    const file = strap();
    const read = (bad: Buffer): Promise<unknown> => readRecording(chunksOf(bad))();
    for (let at = 0; at < file.length; at += 1) {
      expect(await read(file.subarray(0, at)), `cut at ${at}`).to.have.property('_tag');
      for (const byte of [0x00, 0xff]) {
        const damaged = Buffer.from(file);
        damaged.writeUInt8(byte, at);
        expect(await read(damaged), `${byte} at ${at}`).to.have.property('_tag');
      }
    }
  });
});

describe('Advertising reports', () => {
  it('have the legacy form, two in one event', () => {
    const body = bytes('02  00 01 01 00 00 EE FF C0 03 02 01 06 C4  04 00 02 00 00 EE FF C0 00 B0');
    const reports = advertisingReports(0x02, body, 7);
    expect(
      reports.map((one) => [one.address, one.addressType, one.response, text(one.data), one.rssi]),
    ).to.deep.equal([
      ['C0:FF:EE:00:00:01', 'random', false, '02 01 06', -60],
      ['C0:FF:EE:00:00:02', 'public', true, '', -80],
    ]);
  });

  it('have the extended form, with data in two parts', () => {
    const head = '01 00 00 EE FF C0 01 02 03 7F C0 00 00 00 00 00 00 00 00 00';
    // Event type 0x0021: connectable, more to come; 0x0001: complete.
    const first = bytes(`01  21 00 01 ${head} 03 02 01 06`);
    const second = bytes(`01  01 00 01 ${head} 04 03 09 41 42`);
    const reports = [first, second].flatMap((body) => advertisingReports(0x0d, body, 0));
    expect(reports.map(({ more, response }) => [more, response])).to.deep.equal([
      [true, false],
      [false, false],
    ]);
    expect(advertisingOf(reports).payloads.map(({ advertisement }) => text(advertisement))).to.deep.equal([
      '02 01 06 03 09 41 42',
    ]);
  });

  it('with more data than 31 bytes move structures to the scan response, and count structures that do not fit', () => {
    const structure = (length: number): string =>
      `${length.toString(16).padStart(2, '0')} FF${' AA'.repeat(length - 1)}`;
    const data = bytes([structure(20), structure(25), structure(4), structure(30)].join(' '));
    const { payloads, dropped } = advertisingOf([report(0, 'mine', data)]);
    expect(
      payloads.map(({ advertisement, scanResponse }) => [advertisement.length, scanResponse.length]),
    ).to.deep.equal([[26, 26]]);
    expect(dropped).to.equal(1);
  });

  it('are played in turn, each for its recorded time', () => {
    const reports = ['02 01 06', '02 01 06', '02 01 04'].map((data, index) =>
      report(index * 300, 'mine', bytes(data)),
    );
    expect(
      advertisingOf(reports).payloads.map(({ advertisement, lasts }) => [text(advertisement), lasts]),
    ).to.deep.equal([
      ['02 01 06', 600],
      ['02 01 04', 1000],
    ]);
  });
});
