/** Compares the control API's names of packets with the names of tshark. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { PacketReader } from '../../simulators/packets/index.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { Trace } from '../../simulators/radio/index.js';
import { commands } from '../../src/ble/hci/commands.js';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { requireProgram } from '../support/require.js';
import { tshark } from './judge.js';

const ZEROS = Buffer.alloc(70);

const packet = (...head: readonly number[]): Buffer => Buffer.concat([Buffer.from(head), ZEROS]);

/** Every named command, event and ATT PDU, with fields of zero. */
const everything = (): Trace => {
  const trace = new Trace();
  trace.opened(0, '02:A1:B0:00:00:01', 'hci0');
  for (const { opcode } of Object.values(commands)) {
    trace.fromHost(0, packet(1, opcode & 0xff, opcode >> 8, ZEROS.length));
  }
  for (const code of Object.values(EventCode).filter((event) => event !== EventCode.leMeta)) {
    trace.toHost(0, packet(4, code, ZEROS.length));
  }
  for (const subevent of Object.values(LeSubevent)) {
    trace.toHost(0, packet(4, EventCode.leMeta, ZEROS.length + 1, subevent));
  }
  for (const opcode of Object.values(AttOpcode)) {
    const length = ZEROS.length + 1;
    trace.fromHost(0, packet(2, 0x40, 0, length + 4, 0, length, 0, 4, 0, opcode));
  }
  return trace;
};

/** The letters and digits of a name, without tshark's additions for versions and layers. */
const plain = (name: string): string =>
  name
    .replace(/\[v1\]|^(?:ATT|Sent|Rcvd LE Meta|Rcvd) /, '')
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase();

/** Names of tshark that differ from the Core specification 5.4, most of them from older specifications. */
const tsharkNames: Readonly<Record<string, string>> = {
  'Read Transmit Power Level': 'Read Tx Power Level',
  'LE Read Advertising Physical Channel Tx Power': 'LE Read Advertising Channel Tx Power',
  'LE Set Advertising Enable': 'LE Set Advertise Enable',
  'LE Read Filter Accept List Size': 'LE Read White List Size',
  'LE Clear Filter Accept List': 'LE Clear White List',
  'LE Add Device To Filter Accept List': 'LE Add Device To White List',
  'LE Remove Device From Filter Accept List': 'LE Remove Device From White List',
  'LE Enable Encryption': 'LE Start Encryption',
  'Disconnection Complete': 'Disconnect Complete',
  'LE Directed Advertising Report': 'LE Direct Advertising Report',
};

describe('Packets in words', () => {
  before(function () {
    requireProgram(this, 'tshark');
  });

  it('have the names that tshark gives them', async () => {
    const trace = everything();
    const folder = await mkdtemp(join(tmpdir(), 'airbench-packets-'));
    const file = join(folder, 'all.btsnoop');
    await writeFile(file, trace.snapshot());
    const columns = await tshark(file, '-T', 'fields', '-e', '_ws.col.Info');
    await rm(folder, { recursive: true });
    const infos = columns.trim().split('\n');
    const { packets } = new PacketReader(trace).read(0, 1000);
    expect(infos).to.have.length(packets.length);
    const differing = packets.slice(1).flatMap(({ summary }, index) => {
      const [name = ''] = summary.split(',');
      const theirs = infos[index + 1] ?? '';
      return plain(theirs).startsWith(plain(tsharkNames[name] ?? name)) ? [] : [`${name} is ${theirs}`];
    });
    expect(differing).to.deep.equal([]);
  });
});
