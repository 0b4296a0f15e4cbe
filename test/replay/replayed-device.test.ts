import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isLeEvent, text } from '../support/hci-host.js';
import { rows } from '../support/rows.js';
import { Channel } from '../support/att-host.js';
import { scan } from '../support/hci-scenes.js';
import { strap } from './captures.js';
import { replayOf } from './scene.js';

/** The octets of the Bluetooth Base UUID before those of a 16-bit UUID (Core 5.4 Vol 3 Part B 2.5.1). */
const BASE = 'FB 34 9B 5F 80 00 00 80 00 10 00 00';

describe('A replayed device', () => {
  let scene: Awaited<ReturnType<typeof replayOf>>;
  const ask = (pdu: string): Promise<string> => scene.ask(pdu);

  beforeEach(async () => {
    scene = await replayOf(strap());
    await scene.connect();
  });
  afterEach(() => scene.device.close());

  it('repeats its advertisements under its own address', async () => {
    scene.device.close();
    scene = await replayOf(strap());
    await scan(scene.host, 1);
    const reports = [await scene.host.next(isLeEvent(2)), await scene.host.next(isLeEvent(2))];
    expect(reports.map((report) => text(report.subarray(5)).slice(0, -3))).to.deep.equal([
      '00 01 01 00 00 ee ff c0 07 02 01 06 03 03 0d 18',
      '04 01 01 00 00 ee ff c0 07 06 09 53 74 72 61 70',
    ]);
  });

  const answers = rows(
    3,
    `
    its MTU | 02 05 02 | 03 41 00
    its services | 10 01 00 FF FF 00 28 | 11 06 01 00 05 00 00 18 10 00 17 00 0d 18
    no services after the last | 10 18 00 FF FF 00 28 | 01 10 18 00 0a
    a service by its UUID | 06 01 00 FF FF 00 28 0D 18 | 07 10 00 17 00
    no service of another UUID | 06 01 00 FF FF 00 28 0F 18 | 01 06 01 00 0a
    characteristics | 08 01 00 05 00 03 28 | 09 07 02 00 02 03 00 00 2a
    descriptors | 04 13 00 13 00 | 05 01 13 00 02 29
    types of several handles | 04 11 00 13 00 | 05 01 11 00 03 28 12 00 37 2a 13 00 02 29
    a value | 0A 03 00 | 0b 53 74 72 61 70
    the rest of a value | 0C 03 00 03 00 | 0d 61 70
    a value by its type | 08 01 00 FF FF 00 2A | 09 07 03 00 53 74 72 61 70
    a declaration | 0A 11 00 | 0b 10 12 00 37 2a
    an unknown handle | 0A 77 00 | 01 0a 77 00 01
    handles the wrong way round | 08 05 00 01 00 03 28 | 01 08 05 00 01
    its services by the 128-bit form of their type | 10 01 00 FF FF ${BASE} 00 28 00 00 | 11 06 01 00 05 00 00 18 10 00 17 00 0d 18
    characteristics by the 128-bit form | 08 01 00 05 00 ${BASE} 03 28 00 00 | 09 07 02 00 02 03 00 00 2a
    a value by the 128-bit form of its type | 08 01 00 FF FF ${BASE} 00 2A 00 00 | 09 07 03 00 53 74 72 61 70
    a service by the 128-bit form of its UUID | 06 01 00 FF FF 00 28 ${BASE} 0D 18 00 00 | 07 10 00 17 00
    a read of an attribute that may not be read | 0A 17 00 | 01 0a 17 00 02
    a write to an attribute that may not be written | 12 15 00 01 | 01 12 15 00 03
    an offset after the end | 0C 03 00 09 00 | 01 0c 03 00 07
    a group of another type | 10 01 00 FF FF 03 28 | 01 10 01 00 10
    a request cut short | 0A 03 | 01 0a 00 00 04
    an unknown request | 20 03 00 05 00 | 01 20 00 00 06
    a write that was refused | 12 17 00 02 | 01 12 17 00 80
    `,
  );
  for (const [subject, request, answer] of answers) {
    it(`answers ${subject}, as ${answer}`, async () => expect(await ask(request)).to.equal(answer));
  }

  it('sends the notifications that followed a write at their times, to any host that has subscribed', async () => {
    expect(await ask('12 13 00 01 00')).to.equal('13');
    expect(await scene.pass(499)).to.deep.equal([]);
    expect(await scene.pass(1)).to.deep.equal(['1b 12 00 00 48']);
    expect(await scene.pass(500)).to.deep.equal(['1b 12 00 00 49']);
  });

  it('sends no notifications to a host that has not subscribed, or has unsubscribed', async () => {
    await ask('12 17 00 01');
    await ask('12 13 00 01 00');
    expect(await ask('12 13 00 00 00')).to.equal('13');
    expect(await scene.pass(200_000)).to.deep.equal([]);
  });

  it('answers reads with the values at its place in the recording', async () => {
    expect(await ask('0A 15 00')).to.equal('0b 01');
    expect(await ask('0A 15 00')).to.equal('0b 01');
    expect(await ask('12 17 00 01')).to.equal('13');
    expect(await ask('0A 15 00')).to.equal('0b 02');
    expect(await ask('0A 03 00'), 'read before').to.equal('0b 53 74 72 61 70');
  });

  it('refuses a value that was never written, and reports it', async () => {
    expect(await ask('12 17 00 99')).to.equal('01 12 17 00 0e');
    expect(scene.warnings).to.deep.equal(['99 was never written to 0x0017 in the recording']);
  });

  it('joins the parts of a long write', async () => {
    expect(await ask('16 17 00 00 00 01')).to.equal('17 17 00 00 00 01');
    expect(await ask('18 01')).to.equal('19');
    expect(await ask('0A 15 00')).to.equal('0b 02');
  });

  it('refuses more parts of a long write than the longest value has: 0x09', async () => {
    const part = `16 15 00 00 00 ${'AA '.repeat(18)}`;
    // 29 parts of 18 bytes hold the longest value, 512 bytes.
    for (let times = 0; times < 29; times++) expect((await ask(part)).slice(0, 2)).to.equal('17');
    expect(await ask('16 15 00 00 00')).to.equal('01 16 15 00 09');
    expect(await ask('18 00')).to.equal('19');
    expect((await ask(part)).slice(0, 2)).to.equal('17');
  });

  it('refuses pairing', async () => {
    expect(await scene.askOn(Channel.security, '01 04 00 01 10 07 07')).to.equal('05 05');
  });

  it('returns to the start of the recording after a link', async () => {
    await ask('12 17 00 01');
    await ask('12 13 00 01 00');
    await scene.disconnect();
    await scene.connect();
    expect(await ask('0A 15 00')).to.equal('0b 01');
    expect(await ask('0A 13 00'), 'subscriptions end with their link').to.equal('0b 00 00');
    expect(await scene.pass(200_000)).to.deep.equal([]);
  });
});
