/** Captures of any size, and files without a link that could be replayed. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { Advertised } from '../../simulators/devices/recorded/advertising.js';
import { readRecording } from '../../simulators/devices/recorded/recording.js';
import { Recorded } from '../../simulators/devices/recorded/links.js';
import { PacketType } from '../../src/ble/hci/packets.js';
import { left, right } from '../support/either.js';
import { bytes } from '../support/hci-host.js';
import {
  ACL_IN,
  ACL_OUT,
  EVENT,
  MONITOR,
  STRAP,
  altered,
  capture,
  chunksOf,
  discovery,
  fileHeader,
  fileOf,
  fromDevice,
  linkEnded,
  linkMade,
  record,
  recordBytes,
  recorded,
  refusalOf,
  report,
  strap,
  type Raw,
} from './captures.js';
import { collected } from '../support/heap.js';

const MIB = 1024 * 1024;

/** The memory in use, within and outside the heap; bytes. */
const memoryInUse = (): number => {
  const { heapUsed, arrayBuffers } = collected();
  return heapUsed + arrayBuffers;
};

const ADVERTISEMENT = record(0, EVENT, '3E 11 02 01 00 00 00 00 00 00 00 00 05 04 FF 00 00 00 C4');
const MUSIC = record(0, ACL_OUT, `02 00 9C 08 98 08 41 00 ${'5A'.repeat(2200)}`);

/** Records of other devices: most are advertisements of a new device each, and some are music of a headset's link. */
const noise = (index: number): Raw => {
  if (index % 5 === 0) return MUSIC;
  const data = Buffer.from(ADVERTISEMENT.data);
  data.writeUInt32BE(index, 6);
  data.writeUIntBE(index & 0xffffff, 15, 3);
  return { ...ADVERTISEMENT, data };
};

const HEADSET_LINK = record(0, EVENT, '03 0B 00 02 00 06 05 04 03 02 01 01 00');

describe('A capture of any size', () => {
  it('is the same whether it is read byte by byte or in larger chunks', async () => {
    const whole = await recorded(strap());
    for (const size of [1, 7, 24, 100]) {
      expect(right(await readRecording(chunksOf(strap(), size))()), `${size} bytes at a time`).to.deep.equal(
        whole,
      );
    }
  });

  it('uses no more memory for packets that are not replayed', async () => {
    const made = STRAP.findIndex(({ data }) => data.subarray(0, 3).equals(bytes('3E 13 01')));
    const [before, after] = [STRAP.slice(0, made), STRAP.slice(made)];
    const parts = 1000;
    let read = 0;
    const sizes: number[] = [];
    async function* file(): AsyncGenerator<E.Either<string, Buffer>> {
      yield E.right(Buffer.concat([fileHeader(MONITOR), ...[HEADSET_LINK, ...before].map(recordBytes)]));
      for (let part = 0; part <= parts; part += 1) {
        // The packets of the link lie far apart: none may keep the chunk that it came in.
        const linkPackets = part >= parts / 2 ? after.splice(0, 1) : [];
        const around = Array.from({ length: 125 }, (_value, index) => noise(part * 125 + index));
        const chunk = Buffer.concat([...around, ...linkPackets].map(recordBytes));
        read += chunk.length;
        await Promise.resolve();
        yield E.right(chunk);
        if (part % 250 === 0) sizes.push(memoryInUse());
      }
      yield E.right(Buffer.concat(after.map(recordBytes)));
    }
    const recording = right(await readRecording(file())());
    expect(recording.links[0]).to.deep.equal((await recorded(strap())).links[0]);
    expect(recording.warnings).to.deep.equal([
      'the advertisements of C0:FF:EE:00:00:01 came too long before its first link to be kept: ' +
        'name it with --device C0:FF:EE:00:00:01',
    ]);
    expect(read).to.be.above(50 * MIB);
    const [first = 0] = sizes;
    expect(Math.max(...sizes) - first, `of ${read} bytes`).to.be.below(32 * MIB);
  });

  it('keeps no packets of the links of two devices until one is chosen', async () => {
    const other = altered([linkMade(1)], '00 01 01 00 00 EE', '00 01 02 00 00 EE');
    const chunk = Buffer.concat(
      Array.from({ length: 2000 }, (_v, index) => recordBytes(fromDevice(index, '1b 12 00 48'))),
    );
    const sizes: number[] = [];
    async function* file(): AsyncGenerator<E.Either<string, Buffer>> {
      yield E.right(capture(linkMade(0), ...discovery(1), ...other, linkMade(2)));
      for (let part = 0; part <= 200; part += 1) {
        await Promise.resolve();
        yield E.right(chunk);
        if (part % 50 === 0) sizes.push(memoryInUse());
      }
    }
    expect(left(await readRecording(file())())).to.contain('it has several devices');
    const [first = 0] = sizes;
    expect(Math.max(...sizes) - first).to.be.below(8 * MIB);
  });

  for (const [contents, content, reason] of [
    ['zeros', Buffer.alloc(65536), 'it is not a capture'],
    [
      'records of no sensible length',
      Buffer.concat([fileHeader(1002), Buffer.alloc(65536, 0xff)]),
      'damaged',
    ],
  ] as const) {
    it(`is refused at its beginning if it holds ${contents}, however long it is`, async () => {
      let read = 0;
      async function* endless(): AsyncGenerator<E.Either<string, Buffer>> {
        for (;;) {
          await Promise.resolve();
          read += 1;
          yield E.right(content);
        }
      }
      expect(left(await readRecording(endless())())).to.contain(reason);
      expect(read).to.equal(1);
    });
  }

  it('reports which record is damaged, and how to keep the records before it', async () => {
    const file = Buffer.concat([capture(linkMade(0)), Buffer.alloc(24, 0xff)]);
    expect(await refusalOf(file)).to.equal(
      'it is damaged: record 2, at byte 61, cannot be of 4294967295 bytes; ' +
        '`head -c 61 FILE` keeps the records that are before it',
    );
  });

  it('ends with the reason if it cannot be read further', async () => {
    async function* file(): AsyncGenerator<E.Either<string, Buffer>> {
      await Promise.resolve();
      yield E.right(strap().subarray(0, 100));
      yield E.left('it cannot be read: the disk is gone');
    }
    expect(left(await readRecording(file())())).to.equal('it cannot be read: the disk is gone');
  });
});

describe('The packets kept of a capture', () => {
  it('are the latest advertisements, and all packets of the replayed device', () => {
    const advertised = new Advertised((address) => address === 'mine', 12);
    const data = bytes('02 FF 01');
    const values = ['02 FF 01', '02 FF 02', '02 FF 03'];
    values.forEach((value, at) => advertised.add(report(at, 'mine', bytes(value))));
    for (const address of ['a', 'b', 'a', 'c', 'd']) advertised.add(report(9, address, data));
    expect(advertised.isPartial).to.equal(false);
    advertised.add(report(9, 'mine', bytes('02 FF 04')));
    advertised.add(report(9, 'e', data));
    expect(advertised.isPartial).to.equal(true);
    const sizes = ['mine', 'a', 'b', 'c', 'd', 'e'].map((address) => advertised.of(address).size);
    expect(sizes).to.deep.equal([5, 1, 1, 1, 1, 2]);
  });

  it('are the first ATT packets of a device, up to a limit whose record is known', () => {
    const recorded = new Recorded(undefined, 3);
    [linkMade(0), ...[1, 2, 3, 4].map((ms) => fromDevice(ms, '1b 12 00 48'))].forEach(
      ({ data, flags }, index) =>
        recorded.read({
          ...{ number: index + 1, controller: 0, fromHost: false, whole: true, at: index },
          ...{ type: flags === ACL_IN ? PacketType.acl : PacketType.event, body: data },
        }),
    );
    expect(recorded.links.map(({ pdus }) => pdus.length)).to.deep.equal([2]);
    expect(recorded.fullAt).to.equal(4);
  });
});

describe('A file without a link that could be replayed says what it holds:', () => {
  const music = record(5, ACL_IN, '02 20 08 00 04 00 41 00 01 02 03 04');
  const log = record(5, ACL_IN, 'DC 2E 08 00 10 00 00 00 01 02 03 04');
  const began = 'the link in it began before the recording: begin to record, then connect';

  for (const [contents, file, reason] of [
    [
      'BR/EDR links',
      capture(HEADSET_LINK, music),
      'its links are of BR/EDR, classic Bluetooth (to 01:02:03:04:05:06): Bluetooth LE alone is replayed',
    ],
    [
      'a BR/EDR link that began before',
      capture(record(0, ACL_IN, '02 20 08 00 04 00 01 00 0A 01 00 00'), music),
      'its links are of BR/EDR, classic Bluetooth: Bluetooth LE alone is replayed',
    ],
    [
      "a controller's own log on a handle of no link",
      capture(log),
      "its data packets are vendor-specific (handle 0x0EDC), such as a controller's own log; " +
        'it has no Bluetooth LE link: begin to record, then connect the device',
    ],
    [
      'an LE link that began before, beside both',
      capture(HEADSET_LINK, music, log, fromDevice(6, '13')),
      began,
    ],
    ['a link that had ended', capture(HEADSET_LINK, linkEnded(1), fromDevice(2, '13')), began],
  ] as const) {
    it(contents, async () => expect(await refusalOf(file)).to.contain(reason));
  }

  it('a BR/EDR link to the chosen device', async () => {
    expect(await refusalOf(capture(HEADSET_LINK, music, linkMade(9)), '01:02:03:04:05:06')).to.equal(
      'its link to 01:02:03:04:05:06 is of BR/EDR, classic Bluetooth: Bluetooth LE alone is replayed',
    );
  });

  it('in plain H4 too', async () => {
    const records = [HEADSET_LINK, music].map(({ at, data, flags }) => ({
      ...{ flags: 1, at, data: Buffer.concat([Buffer.from([flags === ACL_IN ? 2 : 4]), data]) },
    }));
    expect(await refusalOf(fileOf(1002, records))).to.contain('its links are of BR/EDR');
  });
});
