/** Ringtones sent to a clock in pieces. */
import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Response } from '../../simulators/testing/internal/clock-client.js';
import type { Scenario } from '../support/scenario.js';

const PIECE = 32 * 1024;

/** A tone of different bytes. */
const tone = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, n) => 128 + (n % 100)));

/** One second of a square wave as a RIFF file: PCM, little-endian, all channels alike. */
const wav = (rate: number, bits: 16, channels: number): Buffer => {
  const sample = bits / 8;
  const data = Buffer.alloc(rate * channels * sample);
  for (let n = 0; n < rate * channels; n++) data.writeInt16LE(n % 100 < 50 ? 12_000 : -12_000, n * sample);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * sample, 28);
  head.writeUInt16LE(channels * sample, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
};

/** Sends a file piece by piece, each after the response to the one before; ends at the first failure. */
const upload = async (scenario: Scenario, file: Buffer, format: 'wav' | 'pcm_u8_8k'): Promise<Response> => {
  for (let offset = 0; ; offset += PIECE) {
    const data = file.subarray(offset, offset + PIECE);
    const last = offset + PIECE >= file.length;
    const response = await scenario.command({
      ...{ type: 'upload_ringtone', address: scenario.clock().address, offset },
      ...{ data: data.toString('base64'), last },
      ...(offset === 0 ? { format } : {}),
    });
    if (last || response.error !== null) return response;
  }
};

const ringtone = async (scenario: Scenario): Promise<unknown> =>
  (await scenario.model(scenario.clock()))['ringtone'];

const expectSuccess = ({ error }: Response): void => {
  expect(error).to.be.null;
};

When(
  'I upload a ringtone of {int} bytes, reading the firmware of clock {int} during it',
  async function (this: Scenario, bytes: number, number: number) {
    const order: string[] = [];
    this.remembered.set('old tone', await ringtone(this));
    const uploading = upload(this, tone(bytes), 'pcm_u8_8k').then((response) => {
      order.push('upload');
      return response;
    });
    const client = await this.client();
    await client.next(({ event }) => event === 'upload_progress');
    await client.succeed({ type: 'read_firmware', address: this.clock(number).address });
    order.push('firmware');
    expectSuccess(await uploading);
    this.remembered.set('order', order);
  },
);

Then('clock {int} was answered before the upload ended', function (this: Scenario, _number: number) {
  expect(this.remembered.get('order')).to.deep.equal(['firmware', 'upload']);
});

Then('I received upload_progress events up to the whole', async function (this: Scenario) {
  const { data } = await (
    await this.client()
  ).next(({ event, data: progress }) => {
    const { sent, total } = progress as JsonObject;
    return event === 'upload_progress' && sent === total;
  });
  expect((data as JsonObject)['total'])
    .to.be.a('number')
    .that.is.above(0);
});

Then('the clock plays the new tone', async function (this: Scenario) {
  expect(await ringtone(this)).to.not.equal(this.remembered.get('old tone'));
});

When('I upload a ringtone of {int} bytes', async function (this: Scenario, bytes: number) {
  expectSuccess(await upload(this, tone(bytes), 'pcm_u8_8k'));
  const played = (this.remembered.get('played') ?? []) as readonly unknown[];
  this.remembered.set('played', [...played, await ringtone(this)]);
});

Then('the clock played another slot each time', function (this: Scenario) {
  const played = this.remembered.get('played') as readonly unknown[];
  expect(new Set(played).size).to.equal(2);
  expect(played).to.have.members(['deaddead', 'beefbeef']);
});

When(
  'I upload one second of a WAV of {int} Hz, 16 bits, stereo',
  async function (this: Scenario, rate: number) {
    expectSuccess(await upload(this, wav(rate, 16, 2), 'wav'));
  },
);

Then(
  'the clock plays about {int} bytes of unsigned 8-bit sound',
  async function (this: Scenario, bytes: number) {
    const { uploaded } = await this.model(this.clock());
    expect((uploaded as JsonObject)['size']).to.be.within(bytes * 0.95, bytes * 1.1);
  },
);

When('I upload a WAV of {int} channels', async function (this: Scenario, channels: number) {
  this.remembered.set('old tone', await ringtone(this));
  // Few samples: its header is what counts.
  await upload(this, wav(10, 16, channels), 'wav');
});

When('I upload a truncated WAV', async function (this: Scenario) {
  this.remembered.set('old tone', await ringtone(this));
  await upload(this, wav(8000, 16, 1).subarray(0, 9000), 'wav');
});

Then('the clock plays its old tone', async function (this: Scenario) {
  expect(await ringtone(this)).to.equal(this.remembered.get('old tone'));
});

When(
  'I upload a ringtone of {int} bytes and the link is lost in the middle',
  async function (this: Scenario, bytes: number) {
    this.remembered.set('old tone', await ringtone(this));
    // Such an upload has some 500 acknowledgements and responses; this is the fiftieth.
    await this.control.fault({ type: 'link_loss', device: this.clock().address, after: 50, times: 1 });
    await upload(this, tone(bytes), 'pcm_u8_8k');
  },
);
