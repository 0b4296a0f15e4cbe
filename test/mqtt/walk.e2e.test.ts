/** The walk of docs/fleet.md, as it stands: but for the ports, which are free ones here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { newFolder } from '../support/folders.js';
import { startMosquitto, type Mosquitto } from '../support/mqtt.js';
import { endPrograms, Program } from '../support/program.js';
import { requireProgram } from '../support/require.js';

const DOCUMENT = readFileSync('docs/fleet.md', 'utf8');

/** The commands in the blocks of the walk, each in one line. */
const commandsIn = (document: string): readonly string[] => {
  const [, walk = ''] = /## A walk\n([^]*?)\n## /.exec(document) ?? [];
  return [...walk.matchAll(/^```\n([^]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/ \\\n\s+/g, ' ')
      .trimEnd()
      .split('\n'),
  );
};

const CLIENTS = ['mosquitto_sub', 'mosquitto_pub', 'mosquitto_rr'];

/** Has the clients of Mosquitto take this port, as a file of theirs can say. */
const environmentFor = ({ port }: Mosquitto): NodeJS.ProcessEnv => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  for (const client of CLIENTS) writeFileSync(join(folder, client), `-h 127.0.0.1\n-p ${port}\n`);
  return { ...process.env, XDG_CONFIG_HOME: folder };
};

describe('The walk of docs/fleet.md', function () {
  this.timeout(30_000);
  afterEach(endPrograms);

  it('shows what it says', async function () {
    requireProgram(this, 'mosquitto_pub');
    requireProgram(this, 'curl');
    const broker = await startMosquitto(this);
    const env = environmentFor(broker);
    const [rigged = '', listened = '', ...others] = commandsIn(DOCUMENT);
    expect(rigged).to.match(/^airbench rig --mqtt mqtt:\/\/localhost /);
    const flags = rigged.replace('localhost', `127.0.0.1:${broker.port}`).split(' ').slice(2);
    const rig = Program.rig([...flags, '--pace', 'fast']);

    const listener = spawn('bash', ['-c', `exec ${listened}`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    let more = (): void => undefined;
    createInterface({ input: listener.stdout }).on('line', (line) => {
      lines.push(line);
      more();
    });
    const shown = async (...parts: readonly string[]): Promise<void> => {
      while (!lines.some((line) => parts.every((part) => line.includes(part))))
        await new Promise<void>((resolve) => (more = resolve));
    };
    const control = await rig.url('control API');
    await shown('airbench/dice/servers/hall', '"online"');
    await shown('airbench/clock/servers/hall', '"online"');

    const answers: string[] = [];
    for (const command of others) {
      const at = command.replaceAll('localhost:3100', new URL(control).host);
      const child = spawn('bash', ['-c', at], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (text: Buffer) => (output += text.toString()));
      const [status] = (await once(child, 'close')) as [number];
      expect(status, command).to.equal(0);
      if (command.startsWith('mosquitto_rr')) answers.push(output);
    }
    await shown('/events', '"kind":"Stable"', '"face":5');
    await shown('/state', '"face":5');
    await shown('airbench/dice/servers/hall/result', '"led1":"FF8000"');
    await shown('58:2D:34:00:00:01/state', '"time":"07:30"');
    expect(answers).to.have.length(4);
    const [, said = ''] = /```json\n([^]*?)```/.exec(DOCUMENT) ?? [];
    expect(JSON.parse(answers.at(-1) ?? '')).to.deep.equal(JSON.parse(said));

    const world = (await (await fetch(`${control}/devices/58:2D:34:00:00:01`)).json()) as object;
    expect(JSON.stringify(world)).to.match(/"slot":0,.*"07:30"|"07:30".*"slot":0/);
    await rig.signal('SIGTERM');
    await shown('airbench/dice/servers/hall', '"offline"');
    await shown('airbench/clock/servers/hall', '"offline"');
    listener.kill();
    await broker.kill();
  });
});
