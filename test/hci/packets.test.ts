import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Boundary, LeSubevent, encodeAcl, events } from '../../src/ble/hci/packets.js';
import {
  encodeCommandComplete,
  encodeCommandStatus,
  encodeEvent,
  encodeLeEvent,
} from '../../simulators/radio/event-packets.js';
import { bytes, text } from '../support/hci-host.js';

/** Typed by hand from Core 5.4 Vol 4 Part E 5.4 and 7.7. */
describe('HCI packets', () => {
  it('Command Complete: room for one command, opcode, status first', () => {
    expect(text(encodeCommandComplete(0x0c03, bytes('00')))).to.equal('04 0e 04 01 03 0c 00');
  });

  it('Command Status: status, room for one command, opcode', () => {
    expect(text(encodeCommandStatus(0x200d, 0x0c))).to.equal('04 0f 04 0c 01 0d 20');
  });

  it('Disconnection Complete', () => {
    const packet = encodeEvent(
      0x05,
      events.disconnectionComplete.write({ status: 0, handle: 0x0040, reason: 0x13 }),
    );
    expect(text(packet)).to.equal('04 05 04 00 40 00 13');
  });

  it('Encryption Change', () => {
    const packet = encodeEvent(
      0x08,
      events.encryptionChange.write({ status: 6, handle: 0x0041, enabled: 0 }),
    );
    expect(text(packet)).to.equal('04 08 04 06 41 00 00');
  });

  it('Number Of Completed Packets', () => {
    const packet = encodeEvent(0x13, events.completedPackets.write({ handles: 1, handle: 0x0040, count: 2 }));
    expect(text(packet)).to.equal('04 13 05 01 40 00 02 00');
  });

  const connection = {
    status: 0,
    handle: 0x0040,
    role: 1,
    peerAddressType: 1,
    peerAddress: 'C0:11:22:33:44:55',
    interval: 6,
    latency: 1,
    supervisionTimeout: 200,
    clockAccuracy: 5,
  };

  it('LE Connection Complete', () => {
    const packet = encodeLeEvent(LeSubevent.connectionComplete, events.connectionComplete.write(connection));
    expect(text(packet)).to.equal('04 3e 13 01 00 40 00 01 01 55 44 33 22 11 c0 06 00 01 00 c8 00 05');
  });

  it('LE Enhanced Connection Complete', () => {
    const packet = encodeLeEvent(
      LeSubevent.enhancedConnectionComplete,
      events.enhancedConnectionComplete.write({
        ...connection,
        localResolvableAddress: '40:00:00:00:00:01',
        peerResolvableAddress: '40:00:00:00:00:02',
      }),
    );
    expect(text(packet)).to.equal(
      '04 3e 1f 0a 00 40 00 01 01 55 44 33 22 11 c0 01 00 00 00 00 40 02 00 00 00 00 40 06 00 01 00 c8 00 05',
    );
  });

  it('LE Connection Update Complete', () => {
    const packet = encodeLeEvent(
      LeSubevent.connectionUpdateComplete,
      events.connectionUpdateComplete.write({
        status: 0,
        handle: 0x40,
        interval: 12,
        latency: 2,
        supervisionTimeout: 300,
      }),
    );
    expect(text(packet)).to.equal('04 3e 0a 03 00 40 00 0c 00 02 00 2c 01');
  });

  it('LE Long Term Key Request', () => {
    const packet = encodeLeEvent(
      LeSubevent.longTermKeyRequest,
      events.longTermKeyRequest.write({
        handle: 0x40,
        random: bytes('F0F1F2F3F4F5F6F7'),
        encryptedDiversifier: 0x1234,
      }),
    );
    expect(text(packet)).to.equal('04 3e 0d 05 40 00 f0 f1 f2 f3 f4 f5 f6 f7 34 12');
  });

  it('ACL data: handle and flags, length, data', () => {
    const data = bytes('03 00 04 00 02 00 01');
    expect(text(encodeAcl(0x0040, Boundary.firstFromHost, data))).to.equal(
      '02 40 00 07 00 03 00 04 00 02 00 01',
    );
    expect(text(encodeAcl(0x0eff, Boundary.firstToHost, bytes('AA')))).to.equal('02 ff 2e 01 00 aa');
    expect(text(encodeAcl(0x0040, Boundary.continuing, bytes('BB')))).to.equal('02 40 10 01 00 bb');
  });
});
