import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { CombinedRadio } from '../../src/ble/combined-radio.js';
import { firstLook } from '../../src/cli/servers/first-look.js';
import type { Kind } from '../../src/contract/index.js';
import { FakeRadio } from '../support/fake-radio.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const PAGE = 'http://localhost:3000/';

describe('The first look of a server', () => {
  let fake: FakeRadio;
  let time: ManualTime;
  let lines: string[];
  let stopping: AbortController;

  beforeEach(() => {
    fake = new FakeRadio();
    time = manualTime();
    lines = [];
    stopping = new AbortController();
  });

  const begin = (count = 0, kind: Kind = 'dice'): Promise<void> => {
    const problem = () => (fake.state === 'poweredOn' ? undefined : { what: 'run `bluetoothctl power on`' });
    const radio = new CombinedRadio([{ name: 'bluez:hci0', radio: fake, problem }], () => undefined);
    const write = (line: string): void => void lines.push(line);
    const heardSince = (since: number): number => (since === 0 ? count : 0);
    return firstLook({ kind, radio, time, heardSince, page: PAGE, write }, stopping.signal);
  };

  it('names the radio at once, and listens for 5 s', async () => {
    const look = begin();
    expect([lines, fake.listeners.size]).to.deep.equal([['radio  hci0 by BlueZ'], 1]);
    time.advance(5_000);
    await look;
    expect([lines.length, fake.listeners.size]).to.deep.equal([2, 0]);
  });

  for (const [kind, count, line] of [
    ['dice', 1, `1 die heard: open ${PAGE}`],
    ['dice', 2, `2 dice heard: open ${PAGE}`],
    ['clock', 2, `2 clocks heard: open ${PAGE}`],
    [
      'dice',
      0,
      `no die heard yet: roll one to wake it (a die that is connected to a phone does not advertise), then open ${PAGE}`,
    ],
    [
      'clock',
      0,
      `no clock heard yet: bring one nearer (a clock that is connected to a phone does not advertise), then open ${PAGE}`,
    ],
  ] as const)
    it(`ends with “${line}”`, async () => {
      const look = begin(count, kind);
      time.advance(5_000);
      await look;
      expect(lines.at(-1)).to.equal(line);
    });

  it('tells the problem of a radio that is off', async () => {
    fake.power('poweredOff');
    await begin();
    expect(lines).to.deep.equal([
      'radio  hci0 by BlueZ (run `bluetoothctl power on`)',
      'no die can be heard: hci0 by BlueZ (run `bluetoothctl power on`)',
    ]);
  });

  it('ends silently with the server', async () => {
    const look = begin();
    stopping.abort();
    await look;
    expect(lines).to.have.length(1);
  });
});
