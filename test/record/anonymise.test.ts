import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Recorder } from '../../simulators/lab/record/recorder.js';
import { bytes } from '../support/hci-host.js';

const DEVICE = 'D1:CE:7D:8E:7D:01';
const NAME = 'GoDice_8E7D01_K_v04';

const hex = (text: string): string => Buffer.from(text).toString('hex');

const packet = (...parts: readonly string[]): Buffer => bytes(parts.join('').replace(/ /g, ''));

/** An advertisement of a name; `address` as it stands in packets. */
const advertisement = (address: string, name: string): Buffer => {
  const data = `${(name.length + 1).toString(16).padStart(2, '0')}09${hex(name)}`;
  const length = (data.length / 2).toString(16).padStart(2, '0');
  const report = `020100 01 ${address} ${length} ${data} c4`.replace(/ /g, '');
  return packet('043e', (report.length / 2).toString(16).padStart(2, '0'), report);
};

const OWN = packet('040e 0a 01 0910 00 050403 3da300');
const RECEIVED = advertisement('017d8e7dced1', NAME);

describe('A recording', () => {
  const recorded = (...packets: readonly Buffer[]): Recorder => {
    const recorder = new Recorder(DEVICE);
    for (const received of packets) recorder.received(received);
    return recorder;
  };
  const anonymous = (recorder: Recorder, name = 'Device', others: readonly Buffer[] = []): Buffer => {
    recorder.anonymise({ name, others });
    return recorder.snapshot();
  };

  it('leaves out the advertisements of other devices, and nothing else', () => {
    const recorder = recorded(RECEIVED, advertisement('060504030201', 'Neighbour'), OWN);
    const capture = recorder.snapshot();
    expect(capture.includes(NAME)).to.equal(true);
    expect(capture.includes('Neighbour')).to.equal(false);
    expect(capture.includes(OWN.subarray(1))).to.equal(true);
  });

  it('has neither address nor name left once it is anonymous, and keeps its length', () => {
    const text = packet('02 4000 1500 1100 0400 1b 0c00', hex('mac D1CE7D8E7D01'));
    const recorder = recorded(OWN, RECEIVED, text);
    const before = recorder.snapshot();
    const after = anonymous(recorder);
    expect(after.length).to.equal(before.length);
    for (const removed of ['017d8e7dced1', hex('D1CE7D8E7D01'), '0504033da300', hex(NAME), hex('8E7D01')]) {
      expect(before.toString('hex'), removed).to.contain(removed);
      expect(after.toString('hex'), removed).not.to.contain(removed);
    }
  });

  it('keeps the kind of a random address and the maker of a public one', () => {
    const after = anonymous(recorded(OWN, RECEIVED)).toString('hex');
    expect(after).to.contain('0100003da300').and.to.contain('0200000000c0');
  });

  it('removes the private addresses of a link', () => {
    const link = packet('043e 1f 0a 00 4000 00 02 017d8e7dced1 450844948170 aafb0d948170 0600 0000 c800 00');
    const after = anonymous(recorded(OWN, RECEIVED, link)).toString('hex');
    for (const address of ['450844948170', 'aafb0d948170']) expect(after, address).not.to.contain(address);
  });

  it('gives the device another name, cut or filled to the length of the old one', () => {
    const name = 'GoDice_000001_K_v04';
    expect(anonymous(recorded(RECEIVED), name).includes(name)).to.equal(true);
    expect(anonymous(recorded(RECEIVED), 'Die').includes(`Die${'\0'.repeat(16)}`)).to.equal(true);
    expect(anonymous(recorded(RECEIVED), `${name} and more`).includes(`${name} `)).to.equal(false);
  });

  it('finds a name in fragments, and a name that is read in pieces', () => {
    const other = 'The living room of the Smiths';
    const [first, second] = [other.slice(0, 22), other.slice(22)];
    const response = packet('1700 0400 0b', hex(first));
    const fragments = [
      Buffer.concat([packet('02 4020 1400'), response.subarray(0, 20)]),
      Buffer.concat([packet('02 4010 0700'), response.subarray(20)]),
      packet('02 4020 0c00 0800 0400 0d', hex(second)),
    ];
    const after = anonymous(recorded(...fragments), 'Lamp', [Buffer.from(other)]);
    for (const part of ['living', 'Smiths', first.slice(0, 15), second]) {
      expect(after.includes(part), part).to.equal(false);
    }
    expect(after.includes('Lamp')).to.equal(true);
  });
});
