/** Files of every form at their edges: other packets, damage, and files that are no captures. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readRecording } from '../../simulators/devices/recorded/recording.js';
import { left } from '../support/either.js';
import { bytes } from '../support/hci-host.js';
import { chunksOf, linesOf, recordsOf, refusalOf } from './captures.js';
import { AIR, bareAir, block, enhanced, forms, interfaceBlock, pcap, section } from './forms.js';

describe('The packets of a capture', () => {
  it('have their time in every form', async () => {
    for (const [form, file] of Object.entries(forms)) {
      const event = (await recordsOf(file)).find(({ type }) => type === 4);
      expect(event?.at, form).to.be.closeTo(Date.parse('2026-01-01T00:00:00.020Z'), 0.001);
    }
  });

  it('of PacketLogger are those of HCI, without notes, logs and SCO', async () => {
    const file = bytes(
      '0000000D 69550000 00000064 00 03 0C 00 00' +
        '0000000F 69550000 000000C8 FC 4E 6F 74 65 73 00' +
        '0000000C 69550000 000000C9 08 01 00 00' +
        '0000000F 69550000 0000012C 01 0E 04 01 03 0C 00',
    );
    const records = await recordsOf(file);
    expect(linesOf(records)).to.deep.equal(['< 1 03 0c 00 00', '> 4 0e 04 01 03 0c 00']);
    expect(records.map(({ number, at }) => [number, at])).to.deep.equal([
      [1, 0x69550000 * 1000 + 0.1],
      [4, 0x69550000 * 1000 + 0.3],
    ]);
  });

  it('of un-encapsulated HCI have their kind in the flags', async () => {
    const record = (flags: string, packet: string): string =>
      `00000003 00000003 ${flags} 00000000 00E324FB554FC000 ${packet}`;
    const file = bytes(
      '6274736E 6F6F7000' +
        '00000001 000003E9' +
        record('00000002', '03 0C 00') +
        record('00000003', '0E 01 00') +
        record('00000000', '01 00 00') +
        record('00000001', '01 20 00'),
    );
    expect(linesOf(await recordsOf(file))).to.deep.equal([
      ...['< 1 03 0c 00', '> 4 0e 01 00', '< 2 01 00 00', '> 2 01 20 00'],
    ]);
  });

  it('of a pcapng are on a controller for each interface, also in simple and obsolete blocks', async () => {
    const h4 = bytes('00 00 00 01 04 13 05 01 01 00 01 00');
    const file = Buffer.concat([
      ...[section(), interfaceBlock(201), interfaceBlock(201)],
      enhanced(1, 1_000_000n, h4),
      block(3, Buffer.concat([bytes('0C000000'), h4])),
      block(2, Buffer.concat([bytes('0100 0000 00000000 40420F00 0C000000 0C000000'), h4])),
    ]);
    expect(
      (await recordsOf(file)).map(({ number, controller, at }) => [number, controller, at]),
    ).to.deep.equal([
      [1, 0x10000, 1000],
      [2, 0, 0],
      [3, 0x10000, 1000],
    ]);
  });
});

/** A zip file with one entry of no bytes, stored (PKWARE's APPNOTE 4.3.7). */
const zipEntry = (name: string): Buffer => {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name)]);
};

describe('A pcapng', () => {
  const data = bytes('04 13 05 01 01 00 01 00');
  const simple = (original: string): Buffer => block(3, Buffer.concat([bytes(original), data]));

  it('has sections with interfaces of their own, also after one without Bluetooth LE', async () => {
    const file = Buffer.concat([
      ...[section(), interfaceBlock(1), enhanced(0, 0n, Buffer.alloc(60))],
      ...[section('BE'), interfaceBlock(187, Buffer.alloc(0), 'BE')],
      enhanced(0, 1_000_000n, data, Buffer.alloc(0), 'BE'),
    ]);
    expect((await recordsOf(file)).map(({ number, at }) => [number, at])).to.deep.equal([[2, 1000]]);
  });

  it('has whole packets, and packets cut by the interface or the end of their block', async () => {
    const limited = block(1, bytes('BB00 0000 06000000'));
    const cut = block(6, Buffer.concat([bytes('00000000 00000000 00000000 09000000 09000000'), data]));
    const records = await recordsOf(
      Buffer.concat([
        section(),
        interfaceBlock(187),
        simple('08000000'),
        section(),
        limited,
        simple('08000000'),
        cut,
      ]),
    );
    expect(records.map(({ body, whole }) => [body.length, whole])).to.deep.equal([
      [7, true],
      [5, false],
      [7, false],
    ]);
  });
});

describe('A file without a capture of Bluetooth LE is refused:', () => {
  const FULL_LOG = 'set the Bluetooth HCI snoop log in the developer options to "Enabled", not filtered';
  for (const [contents, file, reason] of [
    [
      'an empty file',
      Buffer.alloc(0),
      'it is empty: a capture is a btsnoop, PacketLogger (.pklg), pcap or pcapng file',
    ],
    ['a text', Buffer.from('no capture'), 'it is not a capture: a capture is a btsnoop'],
    ['JSON', Buffer.from(' { "name": "Strap" }'), 'it is JSON: a capture is a btsnoop'],
    [
      'a bug report of Android',
      Buffer.concat([zipEntry('dumpstate.txt'), zipEntry('FS/data/misc/bluetooth/logs/btsnoop_hci.log')]),
      'it is a zip file: take FS/data/misc/bluetooth/logs/btsnoop_hci.log out of it',
    ],
    [
      'a bug report without a log',
      zipEntry('FS/data/misc/bluetooth/logs/btsnooz_hci.log'),
      `it is a zip file without a Bluetooth capture: ${FULL_LOG}`,
    ],
    [
      'the text of a bug report',
      Buffer.from(`${'='.repeat(56)}\n== dumpstate: 2026-01-01 00:00:00\n`),
      `it is the text of an Android bug report: ${FULL_LOG}`,
    ],
    [
      'the summary log of Android',
      Buffer.from('--- BEGIN:BTSNOOP_LOG_SUMMARY (1234 bytes in) ---\nAgAA'),
      `it is the summary log of Android, which has only the beginnings of packets: ${FULL_LOG}`,
    ],
    [
      'the text of btmon',
      Buffer.from('Bluetooth monitor ver 5.66\n'),
      'it is the text of btmon: record a file with `btmon -w FILE`',
    ],
    [
      'an archive of an iPhone',
      bytes('1F 8B 08 00 00000000 00 03'),
      'it is compressed (gzip): unpack it with `tar -xzf FILE` or `gunzip FILE`; the capture in an archive of an iPhone is logs/Bluetooth/bluetoothd-hci-latest.pklg',
    ],
    ['another compressed file', bytes('FD 37 7A 58 5A 00 00'), 'it is compressed: unpack it first'],
    [
      'a pcap of Ethernet',
      pcap(1, []),
      'it is a pcap file of datalink 1; Bluetooth LE has the datalinks 187, 201, 251, 254, 256, 272',
    ],
    [
      'a pcap of USB',
      pcap(249, []),
      'it is a pcap file of datalink 249, USB: record on the Bluetooth interface instead',
    ],
    [
      'a pcap of classic Bluetooth',
      pcap(255, []),
      'datalink 255, the air of BR/EDR, classic Bluetooth: Bluetooth LE alone is replayed',
    ],
    [
      'a pcapng of Ethernet',
      Buffer.concat([section(), interfaceBlock(1), enhanced(0, 0n, Buffer.alloc(60))]),
      'it is a pcapng file of datalink 1; Bluetooth LE has',
    ],
    [
      'a pcapng without packets',
      Buffer.concat([section(), interfaceBlock(201)]),
      'it has no Bluetooth LE link',
    ],
    [
      'no more than the magic of a pcap',
      bytes('D4C3B2A1'),
      'it is cut short: record 1, at byte 0, is incomplete',
    ],
    [
      'a pcap with a record of no sensible length',
      Buffer.concat([pcap(201, []), Buffer.alloc(16, 0xff)]),
      'it is damaged: record 1, at byte 24, cannot be of 4294967295 bytes',
    ],
    [
      'a pcapng whose block ends with another length',
      Buffer.concat([section(), bytes('05000000 10000000 00000000 14000000')]),
      'it is damaged: record 1, at byte 28, begins with a length of 16 bytes, and ends with 20',
    ],
    [
      'a pcapng section without a byte order',
      bytes('0A0D0D0A 1C000000 00000000 01000000'),
      'begins a section without a byte order',
    ],
    [
      'a PacketLogger record that is too short',
      bytes('0000000D 69550000 00000064 00 03 0C 00 00 00000003 00000000 00000000'),
      'it is damaged: record 2, at byte 17, cannot be of 3 bytes',
    ],
  ] as const) {
    it(contents, async () => {
      expect(await refusalOf(file)).to.contain(reason);
      expect(left(await readRecording(chunksOf(file, 1))()), 'byte by byte').to.contain(reason);
    });
  }
});

const MIB = 1024 * 1024;

describe('A hostile file', () => {
  const files = Object.values(forms);
  const mutation = fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }));

  it('of any form is read or refused by a sentence, wherever it is cut or damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([
          fc.constantFrom(...files),
          fc.array(mutation, { maxLength: 4 }),
          fc.nat(),
          fc.boolean(),
        ] as const),
        async (file, mutations, cut, isCut) => {
          const bad = Buffer.from(file);
          for (const [at, bytesThere] of mutations)
            bad.set(bytesThere.slice(0, bad.length - (at % bad.length)), at % bad.length);
          const read = await readRecording(chunksOf(isCut ? bad.subarray(0, cut % bad.length) : bad))();
          if (E.isLeft(read)) expect(read.left).to.match(/^(?:it|its|the|no|record) .{10,}/);
          else expect(read.right.links).to.have.length.above(0);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('of more interfaces than a section can have is refused', async () => {
    const file = Buffer.concat([section(), ...new Array<Buffer>(0x10001).fill(interfaceBlock(201))]);
    expect(await refusalOf(file)).to.equal(
      'it is damaged: record 1, at byte 1310748, describes more than 65536 interfaces',
    );
  });

  // In quadratic time each would take more than the minute that Mocha waits.
  for (const [contents, file, size] of [
    ['one large block, in small chunks', Buffer.concat([section(), block(5, Buffer.alloc(15 * MIB))]), 256],
    ['the beginnings of entries of a zip file', Buffer.alloc(100 * MIB, 'PK\x03\x04', 'latin1'), 65536],
    [
      'beginnings of links',
      bareAir(
        Array.from({ length: 100_000 }, (_value, at) => {
          const packet = Buffer.concat([AIR.connectInd.subarray(0, -3), Buffer.alloc(3)]);
          packet.writeUInt32LE(at, 18);
          return { at, packet, fromCentral: undefined };
        }),
      ),
      65536,
    ],
  ] as const) {
    it(`of ${contents} is read in linear time`, async () => {
      expect(E.isLeft(await readRecording(chunksOf(file, size))())).to.equal(true);
    });
  }

  it('of any bytes is refused or empty', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(...files), async (rest, file) => {
        const read = await readRecording(chunksOf(Buffer.concat([file.subarray(0, 32), rest])))();
        expect(E.isLeft(read)).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });
});
