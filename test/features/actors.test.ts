import { expect } from 'chai';
import { describe, it } from 'mocha';
import { instruction, type Action, type Device } from '../../features/actors/actions.js';
import { commandActor, commandModel } from '../../features/actors/command.js';

const die: Device = { kind: 'dice', address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04' };
const roll: Action = { type: 'roll', die: 'd6', face: 5, ending: 'stable' };

/** The error of a rejected promise. Undefined if the promise resolves. */
const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('A command that acts', () => {
  /** A program that prints its arguments and fails. */
  const print = (...args: string[]) => [
    process.execPath,
    '-e',
    'console.log(JSON.stringify(process.argv.slice(1))); process.exit(3)',
    '--',
    ...args,
  ];

  it('receives values for its placeholders, without a shell', async () => {
    const line = print('--face', '{face}', 'at {address}', '{name}; echo $HOME', '{action}{unknown}');
    const error = await failure(commandActor(line, 10).act(die, roll));
    expect(error).to.be.an('error');
    expect(String(error)).to.contain(
      '["--face","5","at D1:CE:00:00:00:01","GoDice_000001_R_v04; echo $HOME","roll{unknown}"]',
    );
  });

  const script = (code: string): readonly string[] => [process.execPath, '-e', code];
  const forever = 'setInterval(() => undefined, 1000)';
  const failures: readonly (readonly [
    how: string,
    line: readonly string[],
    secs: number,
    message: string,
  ])[] = [
    ['fails', script('console.error("jammed"); process.exit(3)'), 10, 'ended with status 3\njammed'],
    ['does not end in time', script(`console.log("begun"); ${forever}`), 0.5, 'did not end within 0.5 s'],
    [
      'prints without end',
      script(`console.log("x".repeat(2 ** 21)); ${forever}`),
      10,
      'more than 1048576 bytes',
    ],
    [
      'does not exist',
      ['no-such-robot'],
      10,
      'no-such-robot could not be run: there is no such file or folder',
    ],
  ];
  for (const [how, line, secs, message] of failures)
    it(`fails the step if it ${how}`, async () => {
      expect(String(await failure(commandActor(line, secs).act(die, roll)))).to.contain(message);
    });

  it('passes the step if it succeeds', async () => {
    expect(await failure(commandActor([process.execPath, '-e', ''], 10).act(die, roll))).to.be.undefined;
  });

  it('may print the model of a device as JSON', async () => {
    const line = [process.execPath, '-e', 'console.log(JSON.stringify({at: process.argv[1]}))', '{address}'];
    expect(await commandModel(line, 10)(die.address)).to.deep.equal({ at: die.address });
  });

  it('fails the step with its output if it prints an invalid model', async () => {
    expect(String(await failure(commandModel(script('console.log("[]")'), 10)(die.address)))).to.match(
      /no JSON object: \[\]/,
    );
  });
});

describe('An instruction', () => {
  it('differs for every action, and names the device', () => {
    const actions: readonly Action[] = [
      roll,
      { ...roll, ending: 'tilt' },
      { type: 'turn', die: 'd20', face: 7 },
      { type: 'shake' },
      { type: 'tap' },
      { type: 'double_tap' },
      { type: 'charge', on: true },
      { type: 'charge', on: false },
      { type: 'sensors', temperature: 20, humidity: 50 },
      { type: 'button', secs: 12 },
      { type: 'wake' },
      { type: 'away' },
      { type: 'back' },
    ];
    const messages = actions.map((action) => instruction(die, action));
    expect(new Set(messages).size).to.equal(actions.length);
    for (const message of messages) expect(message).to.contain(die.address);
  });
});
