/** The order of unsolicited packets and answers of a device, and the handles in its errors. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { capture, discovery, fromDevice, fromHost, linkMade, type Raw } from './captures.js';
import { replayOf } from './scene.js';

/** A write that the device answers after two notifications, and before one. */
const records = (write: string, answer: string): readonly Raw[] => [
  linkMade(0),
  ...discovery(100),
  fromHost(200, '12 13 00 01 00'),
  fromDevice(210, '13'),
  fromHost(300, write),
  fromDevice(310, '1b 12 00 01'),
  fromDevice(320, '1b 12 00 02'),
  fromDevice(320, answer),
  fromDevice(360, '1b 12 00 03'),
];

describe('A replayed device', () => {
  for (const pace of ['fast', 'real'] as const) {
    for (const [action, answer] of [
      ['accepts', '13'],
      ['refuses', '01 12 17 00 80'],
    ] as const) {
      it(`keeps the order around the answer of a write that it ${action}, at pace ${pace}`, async () => {
        const scene = await replayOf(capture(...records('12 17 00 01', answer)));
        await scene.connect();
        await scene.ask('12 13 00 01 00');
        scene.air.configure({ pace });
        scene.send('12 17 00 01');
        const sent: string[] = [];
        // Each pass is 100 ms of the air: a packet takes a connection event at pace real.
        for (let passes = 0; passes < 20; passes++) sent.push(...(await scene.pass(2000)));
        expect(sent).to.deep.equal(['1b 12 00 01', '1b 12 00 02', answer, '1b 12 00 03']);
        scene.device.close();
      });
    }
  }

  it('does not move a packet before the answer to a read to another answer', async () => {
    const scene = await replayOf(
      capture(
        ...[linkMade(0), ...discovery(100), fromHost(200, '12 13 00 01 00'), fromDevice(210, '13')],
        ...[fromHost(300, '0A 15 00'), fromDevice(310, '1b 12 00 01'), fromDevice(320, '0b 01')],
      ),
    );
    await scene.connect();
    expect(await scene.ask('12 13 00 01 00')).to.equal('13');
    expect(await scene.pass(99)).to.deep.equal([]);
    expect(await scene.pass(1)).to.deep.equal(['1b 12 00 01']);
    scene.device.close();
  });

  it('names the recorded handle in an error', async () => {
    const scene = await replayOf(
      capture(
        ...[linkMade(0), ...discovery(100), fromHost(200, '12 17 00 09'), fromDevice(210, '01 12 00 00 81')],
        ...[fromHost(220, '0A 15 00'), fromDevice(230, '01 0A 14 00 82')],
        ...[fromHost(240, '16 17 00 00 00 08'), fromDevice(250, '17 17 00 00 00 08')],
        ...[fromHost(260, '18 01'), fromDevice(270, '01 18 17 00 83')],
      ),
    );
    await scene.connect();
    expect(await scene.ask('12 17 00 09')).to.equal('01 12 00 00 81');
    expect(await scene.ask('0A 15 00')).to.equal('01 0a 14 00 82');
    await scene.ask('16 17 00 00 00 08');
    expect(await scene.ask('18 01')).to.equal('01 18 17 00 83');
    scene.device.close();
  });
});
