/** Packets in words, from bytes written by hand by Core 5.4. */
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { PacketReader } from '../../simulators/packets/index.js';
import { Trace } from '../../simulators/radio/index.js';
import { bytes } from '../support/hci-host.js';
import { rows } from '../support/rows.js';

type Sent = readonly [from: 'host' | 'controller', packet: string];

const HOST = '02:A1:B0:00:00:01';
const DIE = 'D1:CE:00:00:00:01';

/** A trace of hci0, whose first record is its New Index. */
const traceOf = (...packets: readonly Sent[]): Trace => {
  const trace = new Trace();
  trace.opened(0, HOST, 'hci0');
  for (const [from, packet] of packets) {
    if (from === 'host') trace.fromHost(0, bytes(packet));
    else trace.toHost(0, bytes(packet));
  }
  return trace;
};

const read = (trace: Trace) => new PacketReader(trace).read(0, 1000).packets;

const lastOf = (...packets: readonly Sent[]) => read(traceOf(...packets)).at(-1) ?? expect.fail();

const summaries = (...packets: readonly Sent[]): readonly string[] =>
  read(traceOf(...packets))
    .slice(1)
    .map(({ summary }) => summary);

/** LE Connection Complete: handle 0x0040, central, random D1:CE:00:00:00:01, 7.5 ms, no latency, 2 s. */
const CONNECTED: Sent = ['controller', '04 3E 13 01 00 40 00 00 01 01 00 00 00 CE D1 06 00 00 00 C8 00 00'];

describe('A packet in words', () => {
  const described = rows(
    3,
    `
    host | 01 0D 20 19 60 00 60 00 00 01 01 00 00 00 CE D1 00 06 00 0C 00 00 00 C8 00 04 00 06 00 | LE Create Connection, peer D1:CE:00:00:00:01
    host | 01 06 04 03 40 00 13 | Disconnect, handle 0x0040, reason 0x13 Remote User Terminated Connection
    host | 01 25 20 00 | LE Read Local P-256 Public Key
    host | 01 99 FC 02 AA BB | command 0xFC99, AA BB
    controller | 04 05 04 00 40 00 08 | Disconnection Complete, handle 0x0040, reason 0x08 Connection Timeout
    controller | 04 0F 04 00 01 0D 20 | Command Status, LE Create Connection
    controller | 04 0F 04 0C 01 0D 20 | Command Status, LE Create Connection, status 0x0C Command Disallowed
    controller | 04 0E 0A 01 09 10 00 01 00 00 B0 A1 02 | Command Complete, Read BD_ADDR, address 02:A1:B0:00:00:01
    controller | 04 0E 04 01 05 14 02 | Command Complete, Read RSSI, status 0x02 Unknown Connection Identifier
    controller | 04 0E 04 01 14 0C 01 | Command Complete, command 0x0C14
    controller | 04 13 05 01 40 00 02 00 | Number Of Completed Packets, handle 0x0040, count 2
    controller | 04 3E 11 02 01 00 01 01 00 00 00 CE D1 05 04 09 44 69 65 C4 00 | LE Advertising Report, D1:CE:00:00:00:01, -60 dBm, name Die
    controller | 04 3E 1A 0D 01 1B 00 01 01 00 00 00 CE D1 01 00 FF 7F B0 00 00 00 00 00 00 00 00 00 00 | LE Extended Advertising Report, scan response, D1:CE:00:00:00:01, -80 dBm
    host | 01 28 20 07 01 55 44 33 22 11 C0 | LE Remove Device From Resolving List, peer C0:11:22:33:44:55
    host | 01 2D 20 01 01 | LE Set Address Resolution Enable, enable 1
    controller | 04 3E 1F 0A 00 40 00 00 02 01 00 00 00 CE D1 45 08 44 94 81 70 AA FB 0D 94 81 70 06 00 00 00 C8 00 00 | LE Enhanced Connection Complete, handle 0x0040, peer D1:CE:00:00:00:01, own private address 70:81:94:44:08:45, private address of the peer 70:81:94:0D:FB:AA
    controller | 04 3E 1F 0A 00 40 00 00 00 01 00 00 00 CE D1 00 00 00 00 00 00 00 00 00 00 00 00 06 00 00 00 C8 00 00 | LE Enhanced Connection Complete, handle 0x0040, peer D1:CE:00:00:00:01
    controller | 04 3E 12 0B 01 01 01 AA FB 0D 94 81 70 01 45 08 44 94 81 70 C4 | LE Directed Advertising Report, address 70:81:94:0D:FB:AA
    controller | ${CONNECTED[1]} | LE Connection Complete, handle 0x0040, peer D1:CE:00:00:00:01
    controller | 04 3E 04 14 40 00 01 | LE Channel Selection Algorithm, handle 0x0040
    controller | 04 3E 02 77 AA | LE event 0x77, AA
    controller | 04 FF 02 AA BB | event 0xFF, AA BB
    controller | 04 05 02 00 40 | cut short: 05 02 00 40
    host | 01 0D | cut short: 0D
    host | 02 40 | cut short: 40
    host | 02 40 00 02 00 07 00 | ACL data, 2 bytes of an L2CAP packet
    host | 02 40 00 07 00 03 00 04 00 02 00 01 | ATT Exchange MTU Request, MTU 256
    host | 02 40 00 08 00 04 00 04 00 52 12 00 03 | ATT Write Command, handle 0x0012, 03
    host | 02 40 00 0B 00 07 00 04 00 10 01 00 FF FF 00 28 | ATT Read By Group Type Request, handles 0x0001 to 0xFFFF, Primary Service
    controller | 02 40 20 09 00 05 00 04 00 01 08 01 00 0A | ATT Error Response, ATT Read By Type Request, handle 0x0001, 0x0A Attribute Not Found
    controller | 02 40 20 05 00 01 00 04 00 20 | ATT PDU 0x20
    controller | 02 40 20 10 00 0C 00 05 00 12 01 08 00 06 00 0C 00 00 00 C8 00 | L2CAP Connection Parameter Update Request, interval min 6, interval max 12, latency 0, timeout 200
    controller | 02 40 20 06 00 02 00 06 00 05 05 | SMP Pairing Failed, 05
    controller | 02 40 20 06 00 02 00 40 00 AA BB | L2CAP channel 0x0040, AA BB
    `,
  );
  for (const [sender, packet, summary] of described) {
    it(`is “${summary}”`, () => expect(lastOf([sender as Sent[0], packet]).summary).to.equal(summary));
  }

  it('names the kind of an address, and whether it was resolved', () => {
    const addressIn = (type: string, address: string): string | undefined =>
      lastOf(['controller', `04 3E 0C 02 01 03 ${type} ${address} 00 C4`]).parts[0]?.value;
    expect(addressIn('00', '01 00 00 CE D1 00')).to.equal('00:D1:CE:00:00:01 (public)');
    expect(addressIn('01', '01 00 00 00 CE D1')).to.equal('D1:CE:00:00:00:01 (random)');
    expect(addressIn('01', 'AA FB 0D 94 81 70')).to.equal('70:81:94:0D:FB:AA (resolvable private)');
    expect(addressIn('02', '01 00 00 CE D1 00')).to.equal('00:D1:CE:00:00:01 (public identity, resolved)');
    expect(addressIn('03', '01 00 00 00 CE D1')).to.equal('D1:CE:00:00:00:01 (random identity, resolved)');
  });

  it('names the types of addresses', () => {
    const { parts } = lastOf(['host', '01 06 20 0F A0 00 A0 00 00 02 01 01 00 00 00 CE D1 07 00']);
    expect(parts).to.deep.include({ name: 'Own Address Type', value: '0x02 Resolvable Private or Public' });
    expect(parts).to.deep.include({ name: 'Peer Address Type', value: '0x01 Random' });
  });

  it('has its number, time, sender, link, bytes and fields', () => {
    const { time, ...packet } = lastOf(CONNECTED, [
      'controller',
      '02 40 20 09 00 05 00 04 00 1B 0E 00 53 FD',
    ]);
    expect(packet).to.deep.equal({
      ...{ number: 3, adapter: 'hci0', direction: 'controller_to_host' },
      ...{ protocol: 'att', handle: 0x40, peer: DIE },
      summary: 'ATT Handle Value Notification, handle 0x000E, 53 FD',
      hex: '024020090005000400' + '1B0E0053FD',
      parts: [
        { name: 'Opcode', value: '0x1B' },
        { name: 'Attribute', value: '0x000E' },
        { name: 'Value', value: '53 FD' },
      ],
    });
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('names its peer until the link has ended', () => {
    const packets = read(
      traceOf(CONNECTED, ['controller', '04 05 04 00 40 00 13'], ['host', '01 05 14 02 40 00']),
    );
    expect(packets.map(({ peer }) => peer)).to.deep.equal([null, DIE, DIE, null]);
  });

  it('is complete with the last of its fragments', () => {
    expect(
      summaries(
        ['host', '02 40 00 05 00 09 00 04 00 52'],
        ['controller', '04 13 05 01 40 00 01 00'],
        ['host', '02 40 10 08 00 12 00 03 32 32 00 FF 00'],
      ),
    ).to.deep.equal([
      'ACL data, 5 of 13 bytes of an L2CAP packet',
      'Number Of Completed Packets, handle 0x0040, count 1',
      'ATT Write Command, handle 0x0012, 03 32 32 00 FF 00',
    ]);
  });

  it('names discovered attributes, on later links to the same device too', () => {
    const discovery: readonly Sent[] = [
      CONNECTED,
      ['host', '02 40 00 0B 00 07 00 04 00 08 01 00 FF FF 03 28'],
      // Declaration 2: notify, value at 3, 6E400003-B5A3-F393-E0A9-E50E24DCCA9E.
      [
        'controller',
        '02 40 20 1B 00 17 00 04 00 09 15 02 00 10 03 00 9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 03 00 40 6E',
      ],
      ['host', '02 40 00 09 00 05 00 04 00 04 04 00 04 00'],
      ['controller', '02 40 20 0A 00 06 00 04 00 05 01 04 00 02 29'],
    ];
    const notified: Sent = ['controller', '02 40 20 08 00 04 00 04 00 1B 03 00 52'];
    expect(
      summaries(
        ...discovery,
        notified,
        ['host', '02 40 00 09 00 05 00 04 00 12 04 00 01 00'],
        CONNECTED,
        notified,
      ).slice(5),
    ).to.deep.equal([
      'ATT Handle Value Notification, handle 0x0003 (6E400003…), 52',
      'ATT Write Request, handle 0x0004 (Client Characteristic Configuration), 01 00',
      'LE Connection Complete, handle 0x0040, peer D1:CE:00:00:00:01',
      'ATT Handle Value Notification, handle 0x0003 (6E400003…), 52',
    ]);
    expect(lastOf(...discovery, notified).parts).to.deep.include({
      name: 'Attribute',
      value: '0x0003 (6E400003-B5A3-F393-E0A9-E50E24DCCA9E)',
    });
  });

  it('names the attribute of the request in an answer to a read or a write', () => {
    expect(
      summaries(
        ['host', '02 40 00 07 00 03 00 04 00 0A 12 00'],
        ['controller', '02 40 20 07 00 03 00 04 00 0B AA BB'],
        ['host', '02 40 00 08 00 04 00 04 00 12 13 00 01'],
        ['controller', '02 40 20 05 00 01 00 04 00 13'],
      ),
    ).to.deep.equal([
      'ATT Read Request, handle 0x0012',
      'ATT Read Response, handle 0x0012, AA BB',
      'ATT Write Request, handle 0x0013, 01',
      'ATT Write Response, handle 0x0013',
    ]);
  });

  it('has a summary, whatever its bytes', () => {
    const packet = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.constantFrom(1, 2, 4), packet)), (packets) => {
        const trace = new Trace();
        for (const [fromHost, type, body] of packets) {
          if (fromHost) trace.fromHost(7, Buffer.from([type, ...body]));
          else trace.toHost(7, Buffer.from([type, ...body]));
        }
        expect(read(trace).map(({ summary }) => summary)).to.not.include('');
      }),
    );
  });
});

describe('A reader of packets', () => {
  const RESET: Sent = ['host', '01 03 0C 00'];
  const numbersOf = (packets: readonly { readonly number: number }[]) => packets.map(({ number }) => number);

  it('returns the packets after a number, the oldest first, or without a number the newest', () => {
    const reader = new PacketReader(traceOf(RESET, RESET, RESET, RESET));
    expect(numbersOf(reader.read(0, 2).packets)).to.deep.equal([1, 2]);
    expect(numbersOf(reader.read(2, 2).packets)).to.deep.equal([3, 4]);
    expect(numbersOf(reader.read(4, 2).packets)).to.deep.equal([5]);
    expect(reader.read(5, 2)).to.deep.equal({ packets: [], dropped: 0, newest: 5 });
    expect(numbersOf(reader.read(undefined, 2).packets)).to.deep.equal([4, 5]);
  });

  it('names the adapter and the peer, wherever it begins', () => {
    const reader = new PacketReader(
      traceOf(CONNECTED, ['host', '01 05 14 02 40 00'], ['host', '01 05 14 02 40 00']),
    );
    expect(reader.read(3, 1).packets.map(({ adapter, peer }) => [adapter, peer])).to.deep.equal([
      ['hci0', DIE],
    ]);
    expect(reader.read(2, 1).packets.map(({ peer }) => peer)).to.deep.equal([DIE]);
  });

  it('reports how many packets the trace has dropped, without new numbers', () => {
    const trace = new Trace({ recent: 1_000 });
    trace.opened(0, HOST, 'hci0');
    const reader = new PacketReader(trace);
    expect(numbersOf(reader.read(0, 10).packets)).to.deep.equal([1]);
    for (let index = 0; index < 100; index += 1) trace.fromHost(0, bytes('01 03 0C 00'));
    const { packets, dropped, newest } = reader.read(1, 10);
    expect(newest).to.equal(101);
    expect(dropped).to.be.within(60, 95);
    expect(packets[0]).to.deep.include({ number: dropped + 2, summary: 'Reset', adapter: 'hci0' });
    expect(new PacketReader(trace).read(1, 10)).to.deep.equal({ packets, dropped, newest });
  });
});
