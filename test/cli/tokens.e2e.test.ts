import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { listenTo, portOf, post, request } from '../support/client.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

const HALL = { name: 'hall', token: 'hall-secret-0123456789', scope: 'full' };
const WALL = { name: 'wall', token: 'wall-secret-0123456789', scope: 'read' };
const STALL = { name: 'stall', token: 'stall-secret-0123456789', scope: 'full' };
const VARIABLE = 'variable-secret-0123456789';
const SECRET = /secret/;

const EMPTY = ['--dice', '0', '--clocks', '0'];

const write = (path: string, tokens: readonly object[] | string): void =>
  writeFileSync(path, typeof tokens === 'string' ? tokens : JSON.stringify(tokens), { mode: 0o600 });

const bearer = ({ token }: typeof HALL) => ({ authorization: `Bearer ${token}` });

describe('The token file of running servers', () => {
  let folder: string;
  let path: string;
  let rig: Program;
  let dice: number;

  before(async function () {
    requireUnix(this, 'modes of files');
    folder = newFolder();
    path = join(folder, 'tokens.json');
    write(path, [HALL, WALL]);
    const control = join(folder, 'control.json');
    write(control, [STALL]);
    rig = Program.rig([...EMPTY, '-v', '--token-file', path, '--control-token-file', control], {
      env: { AIRBENCH_TOKEN: VARIABLE },
    });
    dice = portOf(await rig.url('dice server'));
  });
  after(endPrograms);

  const statuses = (...names: readonly (typeof HALL)[]): Promise<readonly number[]> =>
    Promise.all(
      names.map(async (client) => (await request(dice, '/api/sessions', { headers: bearer(client) })).status),
    );
  /** Changes the file; the message of the dice server about this. */
  const change = async (make: () => void, text: string): Promise<string> => {
    const from = rig.log.length;
    make();
    await rig.logs(['"clock server"', text], from);
    return rig.logs(['"dice server"', text], from);
  };

  it('lets the dice server of the rig use the control API', async () => {
    const roll = await post(dice, '/api/dice/D1:CE:00:00:00:01/roll', {}, { headers: bearer(HALL) });
    expect(roll.body).to.include({ code: 'unknown_device' });
  });

  it('is replaced by another file; connections of removed tokens are closed', async () => {
    const [hall, wall, variable] = await Promise.all(
      [HALL, WALL, { ...HALL, token: VARIABLE }].map((client) =>
        listenTo(dice, '/ws', { headers: bearer(client) }),
      ),
    );
    const fresh = join(folder, 'fresh.json');
    write(fresh, [WALL, STALL]);
    await change(() => renameSync(fresh, path), 'the token file has changed');
    expect(await hall?.closed).to.equal(1008);
    expect(await statuses(HALL, WALL, STALL, { ...HALL, token: VARIABLE })).to.deep.equal([
      401, 200, 200, 200,
    ]);
    for (const kept of [wall, variable]) {
      expect(kept?.socket.readyState).to.equal(kept?.socket.OPEN);
      kept?.socket.terminate();
    }
  });

  const KEPT = 'the tokens stay as they were';
  for (const [state, spoil, message] of [
    ['broken', () => write(path, `[{"token": "${HALL.token}"`), 'it is not valid JSON'],
    ['wrong', () => write(path, [{ ...HALL, scope: HALL.token }]), '[0].scope must be full or read'],
    [
      'open to others',
      () => {
        write(path, [HALL]);
        chmodSync(path, 0o644);
      },
      'chmod 640',
    ],
    ['gone', () => rmSync(path), 'there is no such file'],
  ] as const) {
    it(`keeps its last valid tokens while it is ${state}, with a log line that shows no token`, async () => {
      const line = await change(spoil, message);
      expect(line).to.include(KEPT);
      expect(await statuses(HALL, WALL, STALL)).to.deep.equal([401, 200, 200]);
    });
  }

  it('is read again after its repair', async () => {
    await change(() => write(path, [HALL]), 'the token file has changed');
    expect(await statuses(HALL, WALL, STALL)).to.deep.equal([200, 401, 401]);
    expect(rig.log).to.not.match(SECRET);
  });
});

describe('The airbench program', () => {
  afterEach(endPrograms);

  it('does not start with an invalid token file, and reports why without showing a token', async () => {
    const path = join(newFolder(), 'tokens.json');
    write(path, [HALL, { ...WALL, scope: WALL.token }]);
    const args = ['--port', '0', '--hci', 'tcp:127.0.0.1:1', '--token-file', path];
    const { status, stderr } = await Program.airbench(['dice', ...args]).ended;
    expect(status).to.equal(1);
    expect(stderr).to.include(`the token file ${path}: [1].scope must be full or read`);
    expect(stderr).to.not.match(SECRET);
  });

  it('warns of an open control API, but not of one with tokens', async () => {
    const open = Program.air([...EMPTY, '--control-address', '0.0.0.0']);
    expect(await open.logs(['anyone on this network'])).to.include(
      '--control-token-file or AIRBENCH_CONTROL_TOKEN asks for a token',
    );
    const path = join(newFolder(), 'tokens.json');
    write(path, [HALL]);
    const closed = Program.air([...EMPTY, '--control-address', '0.0.0.0', '--control-token-file', path]);
    await closed.url('control API');
    expect((await closed.signal('SIGTERM')).stderr).to.equal('');
  });
});
