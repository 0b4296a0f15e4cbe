import { Command } from 'commander';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { COMMANDS } from '../../src/cli/commands.js';
import { candidatesFor, wordsIn } from '../../src/cli/completion/candidates.js';
import { rows } from '../support/rows.js';

const program = new Command('airbench').version('0');

/** A line up to the cursor `‸`; its candidates, `-` for none. */
const LINES = rows(
  2,
  `
  airbench di‸                                        | dice
  airbench re‸                                        | record replay
  airbench --v‸                                       | --version
  airbench help rep‸                                  | replay
  airbench help replay ‸                              | -
  airbench nothing ‸                                  | -
  airbench constructor ‸                              | -
  airbench dice --mqtt-‸                              | --mqtt-password-file --mqtt-ca --mqtt-cert --mqtt-key --mqtt-prefix
  airbench dice --port ‸                              | -
  airbench dice --port 1 --gatt‸                      | --gatt-timeout
  airbench dice --config ‸                            | :files
  airbench dice --config=‸                            | :files
  airbench dice --data-dir --port --gatt‸             | --gatt-timeout
  airbench dice --history ‸                           | on off
  airbench dice --history=o‸                          | --history=on --history=off
  airbench dice --history=of‸                         | --history=off
  airbench dice --unknown=‸                           | -
  airbench dice -v --gatt‸                            | --gatt-timeout
  airbench rig --log-format ‸                         | auto json text
  airbench rig --pace f‸                              | fast
  airbench rig --chaos ‸                              | :files
  airbench vhci ‸                                     | --hci --help
  airbench vhci -- ‸                                  | -
  airbench air --device ‸                             | dice clock pixels
  airbench replay ‸                                   | :files
  airbench replay --trace t.btsnoop ‸                 | :files
  airbench replay "a b" --dev‸                        | --device
  airbench replay a\\ b --dev‸                        | --device
  airbench record ‸                                   | --hci --scan-secs --secs --anonymise --verbose --log-format --help
  airbench record D1:CE:00:00:00:01 ‸                 | :files
  airbench features re‸                               | report :files
  airbench features a.feature re‸                     | :files
  airbench features --profile ‸                       | airbench seed
  airbench features --steps a b --pro‸                | --proxies --profile
  airbench features report --s‸                       | --sign-off
  airbench features --proxies comp‸                   | compare :files
  airbench linux -- python3 --‸                       | :files
  airbench install-service ‸                          | dice clock
  airbench completion ‸                               | bash zsh fish
  airbench dice --name '‸                             | -
  airbench dice --name 'a b --mqtt-c‸                 | -
  airbench dice --name "$(touch x)" --mqtt-c‸         | --mqtt-ca --mqtt-cert
  airbench dice --name $(x) --mqtt-ce‸                | --mqtt-cert
  `,
);

describe('The completion', () => {
  for (const [line, expected] of LINES)
    it(`of ${line} is ${expected}`, async () => {
      const [, ...words] = wordsIn(line.replace('‸', ''));
      const candidates = await candidatesFor(words, program, COMMANDS);
      expect(candidates.map(({ word }) => word).join(' ') || '-').to.equal(expected);
    });

  it('offers every command of airbench for an empty word', async () => {
    const candidates = await candidatesFor([''], program, COMMANDS);
    expect(candidates.map(({ word }) => word)).to.deep.equal([...COMMANDS.keys(), 'help']);
  });

  it('describes flags', async () => {
    expect(await candidatesFor(['dice', '--gatt'], program, COMMANDS)).to.deep.equal([
      { word: '--gatt-timeout', description: 'limit for one read or write' },
    ]);
  });

  it('loads the command of the line alone, and no command for its name', async () => {
    const loaded: string[] = [];
    const commands = new Map(
      [...COMMANDS].map(([name, load]) => [name, () => (loaded.push(name), load())] as const),
    );
    await candidatesFor(['di'], program, commands);
    await candidatesFor(['vhci', '--'], program, commands);
    expect(loaded).to.deep.equal(['vhci']);
  });
});

describe('The words of a command line', () => {
  for (const [line, words] of [
    ['', ['']],
    ['airbench ', ['airbench', '']],
    [' airbench  a\tb', ['airbench', 'a', 'b']],
    ['a "b c" \'d e\' f\\ g', ['a', '"b c"', "'d e'", 'f\\ g']],
    ['a "b \\" c" d', ['a', '"b \\" c"', 'd']],
    ["a 'open b", ['a', "'open b"]],
    ['a "open b\\', ['a', '"open b\\']],
    ["a 'two\nlines' b\nc", ['a', "'two\nlines'", 'b', 'c']],
    ['a\\', ['a\\']],
    ['a\\ ', ['a\\ ']],
  ] as const)
    it(`are separated by spaces outside quotes in ${JSON.stringify(line)}`, () => {
      expect(wordsIn(line)).to.deep.equal(words);
    });

  it('are found in a line of 1,000,000 quotes in linear time', () => {
    expect(wordsIn('"\\'.repeat(500_000))).to.have.lengthOf(1);
  });
});
