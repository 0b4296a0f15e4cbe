import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { startWorld } from './world.js';

const MONITOR = fileURLToPath(new URL('./monitor.js', import.meta.url));

describe('The monitor', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  let monitor: ChildProcess | undefined;
  before(async () => {
    world = await startWorld();
  });
  after(async () => {
    monitor?.kill();
    await world.close();
  });

  it('prints the rate of a strap, and every change of it', async () => {
    const { stdout } = (monitor = spawn(process.execPath, ['--import', 'airbench/hci', MONITOR], {
      env: { ...process.env, AIRBENCH_HCI: `tcp:127.0.0.1:${world.hciPort}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    }));
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    expect(await next()).to.equal('Strap 72');
    await fetch(`http://127.0.0.1:${world.controlPort}/devices/C0:DE:00:00:00:01/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type": "rate", "bpm": 300}',
    });
    let line = await next();
    while (line === 'Strap 72') line = await next();
    expect(line).to.equal('Strap 300');
  });
});
