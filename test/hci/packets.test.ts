import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  Boundary,
  completionOf,
  aclData,
  aclHandle,
  encodeAcl,
  events,
  type EventName,
  forwardAcl,
  packetName,
} from '../../src/ble/hci/packets.js';
import { bytes, text } from '../support/hci-host.js';
import { parametersOf, rows } from '../support/rows.js';

/** Typed by hand from Core 5.4 Vol 4 Part E 5.4 and 7.7. */
describe('HCI packets', () => {
  it('encode ACL data: handle and flags, length, data', () => {
    const data = bytes('03 00 04 00 02 00 01');
    expect(text(encodeAcl(0x0040, Boundary.firstFromHost, data))).to.equal(
      '02 40 00 07 00 03 00 04 00 02 00 01',
    );
    expect(text(encodeAcl(0x0eff, Boundary.firstToHost, bytes('AA')))).to.equal('02 ff 2e 01 00 aa');
    expect(text(encodeAcl(0x0040, Boundary.continuing, bytes('BB')))).to.equal('02 40 10 01 00 bb');
    const sent = bytes('02 40 00 01 00 AA');
    expect([aclHandle(sent), text(aclData(sent))]).to.deep.equal([0x0040, 'aa']);
    expect(text(forwardAcl(sent, 0x0eff, Boundary.firstToHost))).to.equal('02 ff 2e 01 00 aa');
    expect(text(sent), 'the sender keeps its own').to.equal('02 40 00 01 00 aa');
  });

  it('are named as data if they are ACL and have a whole header', () => {
    expect(packetName(bytes('02 40 00 00 00'))).to.equal('data of link 64');
    expect(packetName(bytes('03 40 00 00 00'))).to.equal('packet of type 3');
  });

  const CONNECTION =
    'status=0 handle=0x40 role=1 peerAddressType=1 peerAddress=C0:11:22:33:44:55 interval=6 latency=1 supervisionTimeout=200 clockAccuracy=5';
  const [ONES, TWOS, THREES] = ['11', '22', '33'].map((byte) => byte.repeat(32));
  /** The section, the event, its fields, and the bytes after the code of the event or the subevent. */
  const golden = rows(
    4,
    `
    7.7.5     | disconnectionComplete            | status=0 handle=0x40 reason=0x13 | 00 40 00 13
    7.7.8     | encryptionChange                 | status=6 handle=0x41 enabled=0 | 06 41 00 00
    7.7.12    | readRemoteVersionComplete        | status=0 handle=0x40 version=13 manufacturer=0xffff subversion=0x0102 | 00 40 00 0D FF FF 02 01
    7.7.15    | commandStatus                    | status=0x0c packets=1 opcode=0x200d | 0C 01 0D 20
    7.7.16    | hardwareError                    | code=0x42 | 42
    7.7.19    | numberOfCompletedPackets         | handles=1 handle=0x40 count=2 | 01 40 00 02 00
    7.7.26    | dataBufferOverflow               | linkType=1 | 01
    7.7.39    | encryptionKeyRefreshComplete     | status=0 handle=0x0eff | 00 FF 0E
    7.7.65.1  | connectionComplete               | ${CONNECTION} | 00 40 00 01 01 55 44 33 22 11 C0 06 00 01 00 C8 00 05
    7.7.65.2  | advertisingReport                | reports=1 type=4 addressType=1 address=C0:11:22:33:44:55 length=31 | 01 04 01 55 44 33 22 11 C0 1F
    7.7.65.3  | connectionUpdateComplete         | status=0 handle=0x40 interval=12 latency=2 supervisionTimeout=300 | 00 40 00 0C 00 02 00 2C 01
    7.7.65.4  | readRemoteFeaturesComplete       | status=0 handle=0x40 features=x2F59000000000001 | 00 40 00 2F 59 00 00 00 00 00 01
    7.7.65.5  | longTermKeyRequest               | handle=0x40 random=xF0F1F2F3F4F5F6F7 encryptedDiversifier=0x1234 | 40 00 F0 F1 F2 F3 F4 F5 F6 F7 34 12
    7.7.65.6  | remoteConnectionParameterRequest | handle=0x40 intervalMin=6 intervalMax=12 maxLatency=1 supervisionTimeout=300 | 40 00 06 00 0C 00 01 00 2C 01
    7.7.65.7  | dataLengthChange                 | handle=0x40 maxTxOctets=251 maxTxTime=2120 maxRxOctets=27 maxRxTime=328 | 40 00 FB 00 48 08 1B 00 48 01
    7.7.65.8  | readLocalP256PublicKeyComplete   | status=0 x=x${ONES} y=x${TWOS} | 00 ${ONES} ${TWOS}
    7.7.65.9  | generateDhKeyComplete            | status=0 key=x${THREES} | 00 ${THREES}
    7.7.65.10 | enhancedConnectionComplete       | ${CONNECTION} localResolvableAddress=40:00:00:00:00:01 peerResolvableAddress=40:00:00:00:00:02 | 00 40 00 01 01 55 44 33 22 11 C0 01 00 00 00 00 40 02 00 00 00 00 40 06 00 01 00 C8 00 05
    7.7.65.12 | phyUpdateComplete                | status=0 handle=0x40 txPhy=2 rxPhy=1 | 00 40 00 02 01
    7.7.65.13 | extendedAdvertisingReport        | reports=1 type=0x0013 addressType=1 address=C0:11:22:33:44:55 primaryPhy=1 secondaryPhy=2 advertisingSid=0x0f txPower=127 rssi=-60 periodicInterval=0x0102 directAddressType=0 directAddress=02:A1:B0:00:00:01 length=229 | 01 13 00 01 55 44 33 22 11 C0 01 02 0F 7F C4 02 01 00 01 00 00 B0 A1 02 E5
    7.7.65.17 | scanTimeout                      | - | -
    7.7.65.18 | advertisingSetTerminated         | status=0x43 set=2 handle=0x40 completedEvents=9 | 43 02 40 00 09
    7.7.65.19 | scanRequestReceived              | set=2 scannerAddressType=1 scannerAddress=C0:11:22:33:44:55 | 02 01 55 44 33 22 11 C0
    7.7.65.20 | channelSelectionAlgorithm        | handle=0x40 algorithm=1 | 40 00 01
    `,
  );
  for (const [section, name, fields, hex] of golden) {
    it(`encode and decode the parameters of ${name} (${section})`, () => {
      const parameters = hex === '-' ? Buffer.alloc(0) : bytes(hex);
      const layout = events[name as EventName];
      expect(text(layout.write(parametersOf(fields) as never))).to.equal(text(parameters));
      expect(layout.read(parameters)).to.deep.equal(parametersOf(fields));
    });
  }
});

describe('The return parameters of a command', () => {
  const read = (packet: string): string | undefined => {
    const returned = completionOf(bytes(packet), 'readRssi');
    return returned && text(returned);
  };

  it('follow the opcode of its Command Complete, status first', () => {
    expect(read('04 0E 07 01 05 14 00 40 00 C4')).to.equal('00 40 00 c4');
    expect(read('04 0E 04 01 05 14 0C')).to.equal('0c');
  });

  for (const [packet, description] of [
    ['04 0E 04 01 03 0C 00', 'the Command Complete of another command'],
    ['04 0F 04 00 01 05 14', 'a Command Status'],
    ['04 0F 04 01 05 14 00', 'another event with the same bytes'],
    ['02 0E 04 01 05 14 00', 'ACL data with the same bytes'],
    ['04 0E 03 01 05 14', 'a Command Complete without a status'],
    ['', 'an empty packet'],
  ] as const) {
    it(`are not in ${description}`, () => {
      expect(read(packet)).to.equal(undefined);
    });
  }
});
