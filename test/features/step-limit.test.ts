import { expect } from 'chai';
import { describe, it } from 'mocha';
import { StepLimit } from '../../features/actors/step-limit.js';
import { manualTime } from '../support/manual-time.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** How a step that takes these actions ends. */
const started = (step: (limit: StepLimit) => Promise<unknown>) => {
  const time = manualTime();
  const limit = new StepLimit(time);
  const end = { text: 'under way' };
  void limit
    .during(() => step(limit))
    .then(
      () => (end.text = 'ended'),
      (error: unknown) => (end.text = String(error)),
    );
  return { time, end };
};

const LATE = 'Error: it did not end within 60 s';

describe('A step', () => {
  it('may take 60 s', async () => {
    const { time, end } = started(never);
    await time.pass(59_999);
    expect(end.text).to.equal('under way');
    await time.pass(1);
    expect(end.text).to.equal(LATE);
  });

  it('has the whole limit again after the action of an actor', async () => {
    let acted = (): void => undefined;
    const action = new Promise<void>((resolve) => (acted = resolve));
    const { time, end } = started(async (limit) => {
      await limit.except(() => action);
      await never();
    });
    await time.pass(3_600_000);
    acted();
    await time.pass(0);
    await time.pass(59_999);
    expect(end.text).to.equal('under way');
    await time.pass(1);
    expect(end.text).to.equal(LATE);
  });
});
