import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { readBenchFile, type BenchFile } from '../../features/bench/bench-file.js';
import { newFolder } from '../support/folders.js';
import { rows } from '../support/rows.js';

describe('A bench file', () => {
  const read = (text: string): E.Either<string, BenchFile> => {
    const path = join(newFolder(), 'bench.json');
    writeFileSync(path, text);
    return readBenchFile(path);
  };

  it('is valid as in the example', () => {
    const file = readBenchFile('ci/bench.example.json');
    expect(file).to.have.nested.property('right.dice[1].shell', 'd20');
    expect(file).to.have.deep.nested.property('right.actuators.charge', [
      'charger',
      '{address}',
      '--on',
      '{on}',
    ]);
  });

  it('may give a server its own adapter', () => {
    expect(E.isRight(read(JSON.stringify({ servers: { dice: { hci: 'user:hci0' } } })))).to.equal(true);
  });

  it('is refused if it is missing or invalid JSON', () => {
    expect(readBenchFile(join(newFolder(), 'none.json')))
      .to.have.property('left')
      .that.contains('it cannot be read: there is no such file or folder');
    expect(read('{')).to.have.property('left').that.contains('not valid JSON').and.not.contains('Error');
  });

  const DICE = '"servers":{"dice":{"hci":"hci0"}}';
  const cases = rows(
    2,
    `
    {} | servers is missing: it must be a JSON object
    {"servers":{"dice":{"url":"http://localhost:3000","hci":"hci0"}}} | servers.dice must have either url (it is up) or hci (it is started)
    {"servers":{"clock":{}}} | servers.clock must have either url (it is up) or hci (it is started)
    {"servers":{"dice":{"hci":"usb0"}}} | servers.dice.hci must be an adapter: default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got "usb0"
    {${DICE},"dice":[{"address":"D1:CE:00:00:00:01","name":"one"},{"address":"D1:CE","name":"two"}]} | dice[1].address must be six pairs of hex digits with colons
    {${DICE},"dice":[{"address":"D1:CE:00:00:00:01","name":"one","shell":"d100"}]} | dice[0].shell must be one of d6, d20, d10, d10x, d4, d8, d12, got "d100"
    {${DICE},"dices":[]} | dices is unknown here
    {${DICE},"limits":{"operator_sec":3}} | limits.operator_sec is unknown here
    {${DICE},"limits":{"operator_secs":0}} | limits.operator_secs must be a number from 1 to 3600, got 0
    {${DICE},"limits":{"patience_secs":75}} | limits.patience_secs must be a number from 0.1 to 50, got 75
    {${DICE},"actuators":{"dance":"operator"}} | actuators.dance is unknown here
    {${DICE},"actuators":{"roll":"robot"}} | actuators.roll must be "operator", "control" or a program and its arguments
    {${DICE},"actuators":{"model":[]}} | actuators.model must be a program and its arguments, an array of strings, got []
    {${DICE},"actuators":{"tap":["robot","{face}"]}} | actuators.tap must not name {face}: it may name {address}, {name}, {kind}, {action}
    `,
  );
  for (const [content, message] of cases) {
    it(`refuses ${content}`, () => {
      const file = read(content);
      expect(E.isLeft(file) && file.left).to.contain(`bench.json is wrong: ${message}`);
    });
  }
});
