/** The output and the exit status of the benches. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { startFeatures, urlFlags } from '../report/thrown-away.js';
import { newFolder } from '../support/folders.js';
import { MutatingProxy } from '../mutated-servers/mutating-proxy.js';
import { endPrograms, Program, type Ended } from '../../simulators/testing/internal/program.js';

let folder: string;

const features = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  startFeatures(['--report', join(folder, 'reports'), ...args], env).ended;

/** The lines about skipped scenarios. */
const messages = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => /^(skipped \d|no scenario)/.test(line));

describe('A bench', () => {
  before(() => {
    folder = newFolder();
  });
  after(endPrograms);

  const benchFile = (content: object): string => {
    const path = join(folder, 'bench.json');
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  const onBench = (bench: object, tags: string): readonly string[] => [
    ...['--bench', benchFile(bench)],
    ...['--tags', tags],
  ];

  describe('lists its scenarios in a dry run, without any bench', () => {
    for (const flags of [
      '--simulated',
      '--proxies',
      '--dice http://localhost:9 --control http://localhost:9',
    ]) {
      it(flags, async () => {
        const reports = join(folder, flags);
        const args = ['--dry-run', ...flags.split(' '), '--report', reports];
        const { status, stdout, stderr } = await features([...args, '--tags', '@D-led and @kernel']);
        expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
        const [scenario, summary] = stdout.split('\n');
        expect(scenario).to.match(/^features\/dice\/controls\.feature:\d+ {2}Both LEDs {2}@dice @D-led /);
        expect(summary).to.equal('1 scenario (1 skipped)');
        expect(existsSync(reports)).to.equal(false);
      });
    }
  });

  it('attach sends the tokens of the environment, and a rig of the features has no tokens', async () => {
    const tokens = {
      AIRBENCH_TOKEN: 'token-of-the-profiles',
      AIRBENCH_CONTROL_TOKEN: 'control-token-of-the-profiles',
    };
    const rig = Program.rig(['--pace', 'fast', '--scan-secs', '0.25'], { env: tokens });
    for (const [args, tags] of [
      [await urlFlags(rig), '@D-led or @D-event-roll-start or @C-ack'],
      [['--simulated', '--parallel', '1'], '@D-event-roll-start'],
    ] as const) {
      const { status, stdout, stderr } = await features([...args, '--tags', tags], tokens);
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/^\d+ scenarios? \(\d+ passed\)$/m);
      expect(stdout + stderr).to.not.include(tokens.AIRBENCH_TOKEN);
    }
  });

  describe('on its own devices', () => {
    let rig: Program;
    let control: string;
    let urls: { dice: { url: string }; clock: { url: string } };

    const robot = (action: string, ...more: string[]) => [
      'node',
      'ci/robot.mjs',
      action,
      '{address}',
      ...more,
    ];
    const address = '58:2D:34:00:00:01';
    const devices = {
      dice: [{ address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04', shell: 'd6', color: 'red' }],
      clocks: [{ address }],
    };
    const actuators = {
      roll: robot('roll', '--die', '{die}', '--face', '{face}'),
      away: robot('away'),
      back: robot('back'),
    };
    const limits = { patience_secs: 20 };

    before(async () => {
      const limits = ['--scan-secs', '0.25', '--answer-timeout', '1.5', '--data-dir', folder];
      rig = Program.rig(['--pace', 'fast', ...limits]);
      control = await rig.url('control API');
      urls = { dice: { url: await rig.url('dice server') }, clock: { url: await rig.url('clock server') } };
    });

    const physical = (bench: object, tags: string): Promise<Ended> =>
      features(onBench({ servers: urls, ...devices, limits, ...bench }, tags), { CONTROL_URL: control });

    it('physical acts by commands, and counts skipped scenarios by reason', async () => {
      const tags = '@D-publishes or @D-battery or @D-device-rssi or @D-session-id or @C-500 or @C-set-alarm';
      const { status, stdout, stderr } = await physical({ actuators }, tags);
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/\(8 skipped, \d\d passed\)/);
      expect(messages(stderr)).to.deep.equal([
        'skipped 3: needs a device in a state that a real one cannot be put into (simulation only)',
        'skipped 2: needs faults on the air (simulation only)',
        'skipped 2: needs 2 dice: the bench has 1',
        'skipped 1: needs a die that is not full',
      ]);
    });

    it('physical restores the alarms of a clock', async () => {
      const model = async () =>
        ((await (await fetch(`${control}/devices/${address}`)).json()) as { alarms: unknown }).alarms;
      const client = await ClockClient.open(`${urls.clock.url}/ws`, { limit: 15_000 });
      const alarm = { slot: 3, time: '06:15', repeat_mask: 31, enabled: true, snooze: true };
      for (const command of [{ type: 'connect' }, { type: 'set_alarm', ...alarm }, { type: 'disconnect' }]) {
        expect(await client.send({ ...command, address })).to.include({ error: null });
      }
      client.close();
      expect(await model()).to.deep.equal([alarm]);
      const { status, stdout, stderr } = await physical({}, '@C-set-alarm or @C-rest-alarms');
      expect(status, stdout + stderr).to.equal(0);
      expect(await model()).to.deep.equal([alarm]);
    });

    it('physical fails a clock server whose readings never change', async () => {
      const proxy = await MutatingProxy.start(urls.clock.url);
      const servers = { clock: { url: proxy.url } };
      const sensors = robot('sensors', '--temperature', '{temperature}', '--humidity', '{humidity}');
      const passed = await physical({ servers, actuators: { sensors } }, '@C-rest-sensors');
      expect(passed.status, passed.stdout + passed.stderr).to.equal(0);
      const reading = { temperature: 21.5, humidity: 45 };
      proxy.current = {
        answer: (answered, { path }) =>
          path.endsWith('/sensors') ? { ...answered, json: reading } : answered,
      };
      const { status, stdout } = await physical({ servers, actuators: { sensors } }, '@C-rest-sensors');
      await proxy.close();
      expect(status).to.equal(1);
      expect(stdout).to.match(/temperature.*not 21\.5/);
    });

    it('physical fails a scenario with the output of a failed command', async () => {
      const jammed = ['node', '-e', 'console.error("the arm is jammed"); process.exit(3)'];
      const { status, stdout } = await physical({ actuators: { roll: jammed } }, '@D-event-roll-start');
      expect(status).to.equal(1);
      expect(stdout).to.contain('ended with status 3').and.to.contain('the arm is jammed');
    });

    it('physical skips actions of a person without a terminal, and fails a run without scenarios', async () => {
      const { status, stderr } = await physical({}, '@D-event-roll-start and not @seed');
      expect(messages(stderr)).to.deep.equal([
        'skipped 1: needs an operator at a terminal, or commands in the bench file that act on the device',
        'no scenario was run',
      ]);
      expect(status).to.equal(2);
    });

    it('physical resets a device only if the bench file allows it', async () => {
      const all = { ...actuators, button: robot('button', '--secs', '{secs}') };
      const refused = await physical({ actuators: all }, '@destructive');
      expect(refused.stderr).to.contain('skipped 1: resets a device, which the bench file does not allow');
      const { status, stdout } = await physical({ actuators: all, destructive: true }, '@destructive');
      expect(status, stdout).to.equal(0);
      expect(stdout).to.contain('1 scenario (1 passed)');
    });

    it('physical replaces its server for a scenario that starts one, and restores it for the next', async () => {
      const hci = await rig.url('virtual radio');
      const args = ['--data-dir', join(folder, 'tokens')];
      const clocks = [{ address: '58:2D:34:00:00:03' }];
      const bench = { servers: { clock: { hci, args } }, clocks, limits };
      const { status, stdout, stderr } = await features(onBench(bench, '@C-token-store or @C-ack'));
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.contain('7 scenarios (2 skipped, 5 passed)');
    });

    it('attach skips scenarios that start a server', async () => {
      const bench = { servers: urls, control, ...devices, limits };
      const { stderr } = await features(onBench(bench, '@own-server'));
      expect(messages(stderr)).to.deep.equal([
        'skipped 33: needs a server that the features start ("hci" in the bench file), not one that is up',
        'no scenario was run',
      ]);
    });

    it('bench acts on its virtual device, and skips the other kind of device', async () => {
      const hci = await rig.url('virtual radio');
      const args = ['--scan-secs', '0.25'];
      const bench = { servers: { dice: { hci, args } }, air: { url: control, device: 'dice' }, limits };
      const tags = '(@D-led or @D-event-roll-start or @D-device-rssi or @C-health) and not @seed';
      const { status, stdout, stderr } = await features(onBench(bench, tags));
      expect(status, stdout + stderr).to.equal(0);
      expect(messages(stderr)).to.deep.equal([
        'skipped 2: needs a device in a state that a real one cannot be put into (simulation only)',
        'skipped 1: needs a clock server: the bench has none',
      ]);
      expect(stdout).to.match(/\(3 skipped, \d+ passed\)/);
    });

    it('attach takes the devices of the bench file, and other devices from the control API', async () => {
      const bench = { servers: urls, control, ...devices, limits };
      const tags = '@D-session-id or @D-device-rssi or @D-event-disconnected or @C-authenticates';
      const { status, stdout, stderr } = await features(onBench(bench, tags));
      expect(status, stdout + stderr).to.equal(0);
      expect(messages(stderr)).to.be.empty;
      expect(stdout).to.match(/^\d\d scenarios \(\d\d passed\)$/m);
    });
  });
});
