import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from 'airbench/testing';
import { awaitRoll } from './next-roll.js';

const DIE = 'F1:CE:00:00:00:01';

void test('a program that waits for a roll receives the face of a Pixels die', async () => {
  await using lab = await world({ devices: [{ kind: 'pixels', address: DIE, die: 'd20' }] });
  const { face } = await awaitRoll(lab, DIE);
  await lab.control.act(DIE, { type: 'roll', face: 17 });
  assert.equal(await face, 17);
});
