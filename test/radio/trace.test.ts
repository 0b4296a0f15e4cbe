import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Trace } from '../../simulators/radio/index.js';
import { bytes, otherTurns, text } from '../support/hci-host.js';
import { hostOn, pair } from '../support/hci-scenes.js';

const HEADER = 16;
const RECORD_HEADER = 24;

/** Records of a btsnoop file as it is defined, big-endian: lengths, flags, drops, time, data. */
const records = (file: Buffer) => {
  const captured: { index: number; kind: number; drops: number; time: bigint; data: string }[] = [];
  for (let at = HEADER; at < file.length;) {
    const length = file.readUInt32BE(at + 4);
    expect(file.readUInt32BE(at), 'original length').to.equal(length);
    captured.push({
      index: file.readUInt16BE(at + 8),
      kind: file.readUInt16BE(at + 10),
      drops: file.readUInt32BE(at + 12),
      time: file.readBigUInt64BE(at + 16),
      data: text(file.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length)),
    });
    at += RECORD_HEADER + length;
  }
  return captured;
};

/** 1 January 1970 in microseconds since the year 0, as Bluetooth captures count. */
const EPOCH = 0x00dcddb30f2f8000n;

describe('A trace', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'airbench-trace-'));
    file = join(folder, 'air.btsnoop');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('begins as a btsnoop file of version 1 in the format of the Linux monitor, 2001', () => {
    expect(text(new Trace().snapshot())).to.equal('62 74 73 6e 6f 6f 70 00 00 00 00 01 00 00 07 d1');
  });

  it('distinguishes controllers by their index, and hosts from controllers by the kind', () => {
    const trace = new Trace();
    trace.opened(0, '02:A1:B0:00:00:01', 'hci0');
    trace.opened(258, 'D1:CE:00:00:00:01', 'much too long');
    trace.fromHost(258, bytes('01 03 0C 00'));
    trace.toHost(258, bytes('04 0E 04 01 03 0C 00'));
    trace.fromHost(0, bytes('02 40 00 01 00 AA'));
    trace.toHost(0, bytes('02 40 20 01 00 BB'));
    trace.closed(258);
    expect(records(trace.snapshot()).map(({ index, kind, data }) => [index, kind, data])).to.deep.equal([
      // New Index: primary controller, virtual bus, address, name in 8 bytes.
      [0, 0, '00 00 01 00 00 b0 a1 02 68 63 69 30 00 00 00 00'],
      [258, 0, '00 00 01 00 00 00 ce d1 6d 75 63 68 20 74 6f 00'],
      [258, 2, '03 0c 00'],
      [258, 3, '0e 04 01 03 0c 00'],
      [0, 4, '40 00 01 00 aa'],
      [0, 5, '40 20 01 00 bb'],
      [258, 1, ''],
    ]);
  });

  it('gives a new controller the least free index, so that 16 bits last for ever', async () => {
    const trace = new Trace();
    const { air, central, peripheral } = await pair({ trace });
    air.remove(central.controller);
    const next = await hostOn(air, { address: '02:A1:B0:00:00:02', name: 'hci1' });
    expect([peripheral, next].map(({ controller }) => controller.index)).to.deep.equal([1, 0]);
    const notes = records(trace.snapshot()).filter(({ kind }) => kind < 2);
    expect(notes.map(({ index, kind }) => [index, kind])).to.deep.equal([
      [0, 0],
      [1, 0],
      [0, 1],
      [0, 0],
    ]);
  });

  it('writes a note of the whole air before a packet that a fault has changed', async () => {
    const trace = new Trace();
    const { air, central } = await pair({ trace });
    air.hooks.add('event', (passing) => {
      passing.payload = passing.payload.subarray(0, 1);
    });
    central.send(bytes('01 05 14 02 40 00'));
    await otherTurns();
    const [note, event] = records(trace.snapshot()).slice(-2);
    expect([note?.index, note?.kind, event?.kind, event?.data]).to.deep.equal([0xffff, 12, 3, '0e 01 01']);
    expect(Buffer.from(note?.data.replaceAll(' ', '') ?? '', 'hex').toString()).to.equal(
      'a fault has changed the next packet of hci0\0',
    );
  });

  it('stamps records with the time in microseconds, never backwards', () => {
    const from = EPOCH + BigInt(Date.now()) * 1000n;
    const trace = new Trace();
    for (let index = 0; index < 100; index++) trace.fromHost(0, bytes('01 03 0C 00'));
    const times = records(trace.snapshot()).map(({ time }) => time);
    expect(times).to.deep.equal(times.toSorted((a, b) => Number(a - b)));
    expect(Number((times[0] ?? 0n) - from)).to.be.within(0, 1_000_000);
    expect(records(trace.snapshot()).every(({ drops }) => drops === 0)).to.equal(true);
  });

  it('is bounded, and always names the controllers', () => {
    const recent = 20_000;
    const trace = new Trace({ recent });
    trace.opened(0, '02:A1:B0:00:00:01', 'hci0');
    trace.opened(1, 'D1:CE:00:00:00:01', 'die');
    trace.closed(0);
    for (let packet = 0; packet < 5_000; packet++) trace.fromHost(1, bytes('01 03 0C 00'));
    const snapshot = trace.snapshot();
    expect(snapshot.length).to.be.within(recent / 3, recent + HEADER);
    const [first, ...packets] = records(snapshot);
    expect([first?.index, first?.kind]).to.deep.equal([1, 0]);
    expect(packets.every(({ kind }) => kind === 2)).to.equal(true);
  });

  it('is written to its file continuously, in parts of bounded size, each a complete capture', async () => {
    const limit = 2_000;
    const trace = new Trace({ file, limit });
    trace.opened(0, '02:A1:B0:00:00:01', 'hci0');
    for (let packet = 0; packet < 200; packet++) trace.fromHost(0, bytes('01 03 0C 00'));
    await trace.close();
    expect(readdirSync(folder).toSorted()).to.deep.equal(['air.btsnoop', 'air.btsnoop.1']);
    for (const part of [file, `${file}.1`]) {
      const written = readFileSync(part);
      expect(written.length).to.be.at.most(limit + RECORD_HEADER + 4 + HEADER);
      expect(records(written)[0]?.kind).to.equal(0);
    }
  });

  it('finds a record in its part, as long as the part exists', async () => {
    const trace = new Trace({ file, limit: 2_000 });
    trace.opened(0, '02:A1:B0:00:00:01', 'hci0');
    const send = (hour: number): Buffer => Buffer.from([1, 3, 12, hour]);
    const places = Array.from({ length: 200 }, (_, hour) => trace.fromHost(0, send(hour)));
    await trace.close();
    expect(places.map(({ number }) => number)).to.deep.equal(places.map((_, hour) => hour + 2));
    const recordPlaces = places.map((place) => trace.find(place));
    expect(recordPlaces[0]).to.equal(undefined);
    const kept = recordPlaces.flatMap((place, hour) => (place === undefined ? [] : [{ ...place, hour }]));
    expect(new Set(kept.map((place) => place.file))).to.deep.equal(new Set([`${file}.1`, file]));
    for (const { file: part, frame, hour } of kept) {
      expect(records(readFileSync(part))[frame - 1]?.data).to.equal(text(send(hour).subarray(1)));
    }
  });

  it('does not wait for its disk, and counts dropped packets', async () => {
    const trace = new Trace({ file, unwritten: 1_000 });
    let sent = 0;
    const send = (mark: string): void => {
      const packet = Buffer.concat([bytes('01'), Buffer.from(mark), Buffer.alloc(2)]);
      packet.writeUInt16BE(sent, packet.length - 2);
      trace.fromHost(0, packet);
      sent += 1;
    };
    while (sent < 500) send('soon');
    while (!readFileSync(file).includes('late')) {
      send('late');
      await setImmediate();
    }
    await trace.close();
    const written = records(readFileSync(file)).map(({ drops, data }) => ({
      drops,
      number: bytes(data).readUInt16BE(4),
    }));
    expect(written.at(-1)?.drops).to.be.above(400);
    written.forEach(({ drops, number }, place) => expect(drops).to.equal(number - place));
    expect(records(trace.snapshot())).to.have.length(sent);
  });
});
