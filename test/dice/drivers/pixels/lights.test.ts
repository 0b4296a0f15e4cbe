import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../../../../src/devices/device-error.js';
import { lightsOf, type Lights } from '../../../../src/dice/drivers/pixels/lights.js';
import { encodeCommand } from '../../../../src/protocols/pixels/index.js';
import type { Pulse } from '../../../../src/protocols/dice-values.js';
import { manualTime, type ManualTime } from '../../../support/manual-time.js';

const RED = { r: 255, g: 0, b: 0 };
const BLUE = { r: 0, g: 0, b: 255 };
const DARK = { r: 0, g: 0, b: 0 };
const STOP = '3B';
/** A blink of 65,535 ms. */
const RED_FOR_LONG = '1D01FFFF0000FF00FFFFFFFF0001';

const pulse = (changes: Partial<Pulse>): Pulse => ({
  ...{ count: 1, onMs: 500, offMs: 500, colour: RED, leds: 'both' },
  ...changes,
});

describe('The lights of a Pixels die', () => {
  let time: ManualTime;
  let lights: Lights;
  let sent: string[];
  let outcome: E.Either<DeviceError, void>;

  beforeEach(() => {
    time = manualTime();
    sent = [];
    outcome = E.right(undefined);
    lights = lightsOf(
      (command) => () => {
        sent.push(encodeCommand(command).toString('hex').toUpperCase());
        return Promise.resolve(outcome);
      },
      time,
      1,
    );
  });

  const done = async (task: TE.TaskEither<DeviceError, void>): Promise<readonly string[]> => {
    expect(await task()).to.deep.equal(outcome);
    return sent.splice(0);
  };
  const after = async (ms: number): Promise<readonly string[]> => {
    await time.pass(ms);
    return sent.splice(0);
  };

  it('show a colour by a long blink, sent again before its dark half', async () => {
    expect(await done(lights.set(RED))).to.deep.equal([RED_FOR_LONG]);
    expect(await after(29_999)).to.deep.equal([]);
    expect(await after(1)).to.deep.equal([RED_FOR_LONG]);
    expect(await after(30_000)).to.deep.equal([RED_FOR_LONG]);
  });

  it('keep the colour that was set last', async () => {
    await done(lights.set(RED));
    await done(lights.set(BLUE));
    expect(await after(30_000)).to.deep.equal(['1D01FFFFFF000000FFFFFFFF0001']);
  });

  it('stop everything for a dark colour', async () => {
    await done(lights.set(RED));
    expect(await done(lights.set(DARK))).to.deep.equal([STOP]);
    expect(time.pending).to.equal(0);
  });

  it('show a pulse by a blink as long as all its periods, in place of a colour', async () => {
    await done(lights.set(BLUE));
    expect(await done(lights.pulse(pulse({})))).to.deep.equal(['1D01E8030000FF00FFFFFFFF0001']);
    expect(time.pending).to.equal(0);
    expect(await done(lights.pulse(pulse({ count: 20, onMs: 100, offMs: 400 })))).to.deep.equal([
      '1D1410270000FF00FFFFFFFF0001',
    ]);
  });

  it('divide a long pulse into several blinks', async () => {
    // 30 times 5,100 ms: 12 and 12 and 6.
    expect(await done(lights.pulse(pulse({ count: 30, onMs: 2_550, offMs: 2_550 })))).to.deep.equal([
      '1D0C10EF0000FF00FFFFFFFF0001',
    ]);
    expect(await after(61_199)).to.deep.equal([]);
    expect(await after(1)).to.deep.equal(['1D0C10EF0000FF00FFFFFFFF0001']);
    expect(await after(61_200)).to.deep.equal(['1D0688770000FF00FFFFFFFF0001']);
    expect(time.pending).to.equal(0);
  });

  it('go on with 255 pulses until something else is shown', async () => {
    const endless = await done(lights.pulse(pulse({ count: 255, onMs: 10, offMs: 10 })));
    expect(endless).to.deep.equal(['1DFFEC130000FF00FFFFFFFF0001']);
    expect(await after(5_100)).to.deep.equal(endless);
    await done(lights.set(DARK));
    expect(time.pending).to.equal(0);
  });

  for (const darkPulse of [pulse({ onMs: 0 }), pulse({ colour: DARK }), pulse({ onMs: 0, offMs: 0 })]) {
    it(`are dark for a pulse of ${darkPulse.onMs} ms in ${JSON.stringify(darkPulse.colour)}`, async () => {
      expect(await done(lights.pulse(darkPulse))).to.deep.equal([STOP]);
    });
  }

  it('report a failure, and send nothing again', async () => {
    outcome = E.left({ _tag: 'Aborted' });
    await done(lights.set(RED));
    expect(time.pending).to.equal(0);
  });

  it('send nothing once they are stopped, even if an acknowledgement comes later', async () => {
    const late = lights.set(RED)();
    lights.stop();
    await late;
    expect(time.pending).to.equal(0);
    sent = [];
    await done(lights.set(BLUE));
    lights.stop();
    expect(time.pending).to.equal(0);
  });

  it('send another loop count to firmware of 2023', async () => {
    const old = lightsOf(
      (command) => () => {
        sent.push(encodeCommand(command).toString('hex').toUpperCase());
        return Promise.resolve(outcome);
      },
      time,
      0,
    );
    expect(await done(old.set(RED))).to.deep.equal(['1D01FFFF0000FF00FFFFFFFF0000']);
  });
});
