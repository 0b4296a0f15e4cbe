import { expect } from 'chai';
import { describe, it } from 'mocha';
import { describeExplored } from '../../simulators/lab/record/describe.js';
import { explore, type Explored } from '../../simulators/lab/record/explore.js';
import { bytes, text } from '../support/hci-host.js';

interface Scripted {
  readonly explored: Explored;
  /** The requests, in order. */
  readonly asked: readonly string[];
}

/** Explores a device that answers by a script, and all else with Attribute Not Found. */
const exploreScript = (script: Readonly<Record<string, string>>, mtu = 23): Scripted => {
  const asked: string[] = [];
  const conversation = explore(() => mtu);
  let step = conversation.next();
  while (step.done !== true) {
    const request = text(step.value);
    asked.push(request);
    const refusal = `01 ${request.slice(0, 8)} 0a`;
    step = conversation.next(bytes(script[request] ?? refusal));
  }
  return { explored: step.value, asked };
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
  it('finds every attribute, also of the same UUID, and asks for no handle twice', () => {
    const { explored, asked } = exploreScript(DISCOVERY);
    expect(describeExplored(explored)).to.deep.equal([
      '0x0001 service 1234',
      '  0x0003  aaaa  read, notify  refused with 0x0A',
      '  0x0004  2902  refused with 0x0A',
      '  0x0006  aaaa  indicate',
      '  0x0007  2902  refused with 0x0A',
      '  0x0009  bbbb  read  refused with 0x0A',
    ]);
    expect(new Set(asked).size).to.equal(asked.length);
  });

  it('reads values of any length, and takes a refusal for what it is', () => {
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

  it('is content with a value that just fills its response, after which nothing comes', () => {
    const value = Array.from({ length: 22 }, () => 'ab').join(' ');
    const { explored, asked } = exploreScript({ ...DISCOVERY, '0a 03 00': `0b ${value}` });
    expect(explored.answers.get(3)).to.deep.equal({ value: bytes(value) });
    expect(asked).to.include('0c 03 00 16 00');
  });

  it('subscribes to notifications and to indications, after all that is read, and goes on when one is refused', () => {
    const { explored, asked } = exploreScript({ ...DISCOVERY, '12 07 00 02 00': '13' });
    expect(asked.slice(-2)).to.deep.equal(['12 04 00 01 00', '12 07 00 02 00']);
    expect(explored.subscribed).to.deep.equal([6]);
  });

  it('goes on when the device refuses to tell a part', () => {
    const { explored } = exploreScript({ ...DISCOVERY, '04 04 00 04 00': '01 04 04 00 0f' });
    expect(explored.attributes.map(({ handle }) => handle)).to.deep.equal([1, 2, 3, 5, 6, 7, 8, 9]);
  });

  it('ends, whatever nonsense a device answers', () => {
    const { explored, asked } = exploreScript({
      '10 01 00 ff ff 00 28': '11 06 01 00 09 00 34 12',
      '08 01 00 09 00 03 28': '09 00',
      '10 0a 00 ff ff 00 28': '11 06 01 00',
    });
    expect(explored.attributes.map(({ handle }) => handle)).to.deep.equal([1]);
    expect(asked).to.have.length.below(10);
  });
});
