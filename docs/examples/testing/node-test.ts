import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from 'airbench/testing';
import { awaitRoll } from './next-roll.js';

void test('a program that waits for a roll receives the face of a Pixels die', async (t) => {
  const lab = await world({ devices: [{ kind: 'pixels', address: 'F1:CE:00:00:00:01', die: 'd20' }] });
  t.after(() => lab.close());
  const { face } = await awaitRoll(lab, 'F1:CE:00:00:00:01');
  await lab.control.act('F1:CE:00:00:00:01', { type: 'roll', face: 17 });
  assert.equal(await face, 17);
});
