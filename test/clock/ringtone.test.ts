import { expect } from 'chai';
import { padAudio } from '../../src/protocols/cgd1/index.js';
import { type ClockFixture, eachKitchen, KITCHEN } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const PIECE = 32 * 1024;
const address = KITCHEN;

const tone = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, n) => 100 + (n % 100)));

describe('upload_ringtone', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const piece = (data: Buffer, fields: object = {}): object => ({
    type: 'upload_ringtone',
    address,
    offset: 0,
    data: data.toString('base64'),
    last: true,
    format: 'pcm_u8_8k',
    ...fields,
  });

  const pieces = (file: Buffer, format: string): readonly object[] =>
    Array.from({ length: Math.ceil(file.length / PIECE) }, (_, n) => ({
      ...piece(file.subarray(n * PIECE, (n + 1) * PIECE)),
      offset: n * PIECE,
      last: (n + 1) * PIECE >= file.length,
      ...(n === 0 ? { format } : { format: undefined }),
    }));

  it('sends a tone in pieces, in a burst or one by one, and selects it', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    await client.next();
    const file = tone(90_000);
    const answers = pieces(file, 'pcm_u8_8k').map((command) => client.succeed(command));
    const firmware = client.succeed({ type: 'read_firmware', address });
    expect(await Promise.all(answers)).to.deep.equal([
      { address, received: 32_768, ringtone: null },
      { address, received: 65_536, ringtone: null },
      { address, received: 90_000, ringtone: 'deaddead' },
    ]);
    expect(client.unread).to.have.length(177);
    expect(client.unread.slice(0, 1).concat(client.unread.slice(-2))).to.deep.equal([
      { event: 'upload_progress', data: { sent: 512, total: 90_112 } },
      { event: 'upload_progress', data: { sent: 90_112, total: 90_112 } },
      { event: 'ack', data: { command: 'upload_ringtone', status: 'success' } },
    ]);
    await firmware;
    expect(device.commands.slice(-2).map(({ _tag }) => _tag)).to.deep.equal([
      'WriteSettings',
      'ReadFirmware',
    ]);
    expect(Buffer.concat(device.audio)).to.deep.equal(padAudio(file));
    expect(device.sent('AudioInit')).to.deep.equal([
      { _tag: 'AudioInit', size: 90_112, signature: 'deaddead' },
    ]);
    expect(device.state.ringtone).to.equal('deaddead');
    for (const command of pieces(tone(40_000), 'pcm_u8_8k')) await client.succeed(command);
    expect(device.state.ringtone).to.equal('beefbeef');
    await client.succeed(piece(tone(1)));
    expect(device.state.ringtone).to.equal('deaddead');
  });

  it('fails and reports it if the clock refuses the upload', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    await client.next();
    device.behave({ refused_commands: ['AudioInit'] });
    expect(await client.fail(piece(tone(100)))).to.equal(`device ${KITCHEN} refused upload_ringtone`);
    expect(client.unread).to.deep.equal([
      { event: 'ack', data: { command: 'upload_ringtone', status: 'failure' } },
    ]);
    expect(device.sent('WriteSettings')).to.deep.equal([]);
  });

  it('fails if the packets of the link are too small', async () => {
    device.mtu = 132;
    expect(await client.fail(piece(tone(100)))).to.equal(
      `device ${KITCHEN}: the link carries 132 bytes at once (MTU), a tone needs 133`,
    );
    device.mtu = 133;
    await client.succeed(piece(tone(100)));
  });

  it('accepts an empty piece in any place', async () => {
    await client.succeed(piece(tone(0), { last: false }));
    await client.succeed(piece(tone(10), { last: false }));
    expect(await client.succeed(piece(tone(0), { offset: 10, last: false }))).to.include({ received: 10 });
    await client.succeed(piece(tone(0), { offset: 10 }));
    expect(Buffer.concat(device.audio)).to.deep.equal(padAudio(tone(10)));
  });

  it('does not mix the files of two clients', async () => {
    const other = await fixture.client();
    await client.succeed(piece(tone(10), { last: false }));
    expect(await other.fail(piece(tone(10), { offset: 10 }))).to.contain('offset must be 0, got 10');
    await client.succeed(piece(tone(10), { offset: 10 }));
  });
});
