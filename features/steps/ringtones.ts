/** Steps about ringtones, which a client sends to a clock in pieces. */
import { Given, Then, When } from '@cucumber/cucumber';
import { above, expect, fields, inAnyOrder, not, numberFrom, that } from '../expect/expect.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Response } from '../../simulators/testing/internal/clock-client.js';
import { sine, wav } from '../support/wav.js';
import type { Scenario } from '../support/scenario.js';

const PIECE = 32 * 1024;

/** A tone whose bytes differ. */
const tone = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, n) => 128 + (n % 100)));

/** A WAV file of 16 bits. */
const sound = (rate: number, channels: number, secs = 1): Buffer =>
  wav({ rate, bits: 16, channels }, sine(rate, secs));

/** Sends a file piece by piece, each after the last response. Ends at the first failure. */
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

Given('I listen to the clock', async function (this: Scenario) {
  await this.openDeviceStream();
});

Then('the clock plays a preview at volume {int}', async function (this: Scenario, volume: number) {
  const { address } = this.clock();
  const [stream] = this.streams;
  if (stream === undefined) throw new Error('the scenario does not listen to the clock');
  const preview = fields({ address, event: fields({ type: 'preview' }) });
  expect('event', (await this.receive(stream, preview))['event'], { type: 'preview', volume });
});

const expectSuccess = ({ error }: Response): void => {
  expect('error', error, null);
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
    await this.receive(client, fields({ event: 'upload_progress' }));
    await client.succeed({ type: 'read_firmware', address: this.clock(number).address });
    order.push('firmware');
    expectSuccess(await uploading);
    this.remembered.set('order', order);
  },
);

Then('clock {int} was answered before the upload ended', function (this: Scenario, _number: number) {
  expect('order of the answers', this.remembered.get('order'), ['firmware', 'upload']);
});

Then('I received upload_progress events up to the total', async function (this: Scenario) {
  const isWhole = that('an object whose sent is its total', (data) => {
    const { sent, total } = data as JsonObject;
    return sent === total;
  });
  const event = fields({ event: 'upload_progress', data: isWhole });
  const { data } = await this.receive(await this.client(), event);
  expect('data', data, fields({ total: above(0) }));
});

Then('the clock plays the new tone', async function (this: Scenario) {
  expect('ringtone', await ringtone(this), not(this.remembered.get('old tone')));
});

When('I upload a ringtone of {int} bytes', async function (this: Scenario, bytes: number) {
  expectSuccess(await upload(this, tone(bytes), 'pcm_u8_8k'));
  const played = (this.remembered.get('played') ?? []) as readonly unknown[];
  this.remembered.set('played', [...played, await ringtone(this)]);
});

Then('the clock played another slot after each upload', function (this: Scenario) {
  const played = this.remembered.get('played') as readonly unknown[];
  expect('played slots', played, inAnyOrder(['deaddead', 'beefbeef']));
});

When('I upload a piece of {int} bytes', async function (this: Scenario, bytes: number) {
  await this.command({
    ...{ type: 'upload_ringtone', address: this.clock().address, offset: 0, last: false },
    ...{ data: tone(bytes).toString('base64'), format: 'pcm_u8_8k' },
  });
});

When(
  'I upload one second of a WAV of {int} Hz, 16 bits, stereo',
  async function (this: Scenario, rate: number) {
    expectSuccess(await upload(this, sound(rate, 2), 'wav'));
  },
);

Then(
  'the clock plays about {int} bytes of unsigned 8-bit sound',
  async function (this: Scenario, bytes: number) {
    const { uploaded } = await this.model(this.clock());
    expect('uploaded.size', (uploaded as JsonObject)['size'], numberFrom(bytes * 0.95, bytes * 1.1));
  },
);

When('I upload a WAV of {int} channels', async function (this: Scenario, channels: number) {
  this.remembered.set('old tone', await ringtone(this));
  // Few samples, since the header alone matters.
  await upload(this, sound(8000, channels, 0.001), 'wav');
});

When('I upload a truncated WAV', async function (this: Scenario) {
  this.remembered.set('old tone', await ringtone(this));
  await upload(this, sound(8000, 1).subarray(0, 9000), 'wav');
});

Then('the clock plays its old tone', async function (this: Scenario) {
  expect('ringtone', await ringtone(this), this.remembered.get('old tone'));
});

When(
  'I upload a ringtone of {int} bytes and the link is lost in the middle',
  async function (this: Scenario, bytes: number) {
    this.remembered.set('old tone', await ringtone(this));
    // An upload has about 500 acknowledgements and responses; the link is lost at the fiftieth.
    await this.control.fault({ type: 'link_loss', device: this.clock().address, after: 50, times: 1 });
    await upload(this, tone(bytes), 'pcm_u8_8k');
  },
);
