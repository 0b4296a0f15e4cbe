import { expect } from 'chai';
import { describe, it } from 'mocha';
import { describeExplored } from '../../simulators/lab/record/describe.js';
import { explore, type Explored } from '../../simulators/lab/record/explore.js';
import { bytes, text } from '../support/hci-host.js';

interface Scripted {
  readonly explored: Explored;
  /** The requests, in order. */
  readonly requests: readonly string[];
}

/** Explores a device that answers by a script, and other requests with Attribute Not Found. */
const exploreScript = (script: Readonly<Record<string, string>>, mtu = 23): Scripted => {
  const requests: string[] = [];
  const conversation = explore(() => mtu);
  let step = conversation.next();
  while (step.done !== true) {
    const request = text(step.value);
    requests.push(request);
    const refusal = `01 ${request.slice(0, 8)} 0a`;
    step = conversation.next(bytes(script[request] ?? refusal));
  }
  return { explored: step.value, requests };
};

/** One service 0x1234 of handles 1 to 9 with three characteristics: two of the same UUID, and one whose UUID comes in its 128-bit form. */
const DISCOVERY = {
  '10 01 00 ff ff 00 28': '11 06 01 00 09 00 34 12',
  '08 01 00 09 00 03 28': '09 07 02 00 12 03 00 aa aa 05 00 20 06 00 aa aa',
  '08 06 00 09 00 03 28': '09 15 08 00 02 09 00 fb 34 9b 5f 80 00 00 80 00 10 00 00 bb bb 00 00',
  '04 04 00 04 00': '05 01 04 00 02 29',
  '04 07 00 07 00': '05 01 07 00 02 29',
};

describe('An exploration', () => {
  it('finds every attribute, even with the same UUID, and requests no handle twice', () => {
    const { explored, requests } = exploreScript(DISCOVERY);
    expect(describeExplored(explored)).to.deep.equal([
      '0x0001 service 1234',
      '  0x0003  aaaa  read, notify  refused with 0x0A',
      '  0x0004  2902  refused with 0x0A',
      '  0x0006  aaaa  indicate',
      '  0x0007  2902  refused with 0x0A',
      '  0x0009  bbbb  read  refused with 0x0A',
    ]);
    expect(new Set(requests).size).to.equal(requests.length);
  });

  it('reads values of any length, and keeps the errors of refusals', () => {
    const long = Array.from({ length: 22 }, () => 'ab').join(' ');
    const { explored } = exploreScript({
      ...DISCOVERY,
      '0a 03 00': `0b ${long}`,
      '0c 03 00 16 00': '0d cd ef',
      '0a 04 00': '0b 00 00',
      '0a 09 00': '01 0a 09 00 05',
    });
    expect(explored.answers.get(3)).to.deep.equal({ value: bytes(`${long} cd ef`) });
    expect(explored.answers.get(9)).to.deep.equal({ error: 5 });
  });

  it('accepts a value that just fills its response', () => {
    const value = Array.from({ length: 22 }, () => 'ab').join(' ');
    const { explored, requests } = exploreScript({ ...DISCOVERY, '0a 03 00': `0b ${value}` });
    expect(explored.answers.get(3)).to.deep.equal({ value: bytes(value) });
    expect(requests).to.include('0c 03 00 16 00');
  });

  it('subscribes to notifications and indications after all reads, and continues after a refusal', () => {
    const { explored, requests } = exploreScript({ ...DISCOVERY, '12 07 00 02 00': '13' });
    expect(requests.slice(-2)).to.deep.equal(['12 04 00 01 00', '12 07 00 02 00']);
    expect(explored.subscribed).to.deep.equal([6]);
  });

  it('continues when the device refuses a part of the discovery', () => {
    const { explored } = exploreScript({ ...DISCOVERY, '04 04 00 04 00': '01 04 04 00 0f' });
    expect(explored.attributes.map(({ handle }) => handle)).to.deep.equal([1, 2, 3, 5, 6, 7, 8, 9]);
  });

  it('ends, whatever a device answers', () => {
    const { explored, requests } = exploreScript({
      '10 01 00 ff ff 00 28': '11 06 01 00 09 00 34 12',
      '08 01 00 09 00 03 28': '09 00',
      '10 0a 00 ff ff 00 28': '11 06 01 00',
    });
    expect(explored.attributes.map(({ handle }) => handle)).to.deep.equal([1]);
    expect(requests).to.have.length.below(10);
  });
});
