import { expect } from 'chai';
import { world, type World } from 'airbench/testing';
import { awaitRoll } from './next-roll.js';

describe('A program that waits for a roll', () => {
  let lab: World;
  before(async () => (lab = await world({ dice: 1 })));
  after(() => lab.close());
  beforeEach(() => lab.control.reset());

  it('receives the face', async () => {
    const [die] = await lab.control.devices();
    const { face } = await awaitRoll(lab, die?.address ?? '');
    await lab.control.act(die?.address ?? '', { type: 'roll', die: 'd6', face: 5 });
    expect(await face).to.equal(5);
  });
});
