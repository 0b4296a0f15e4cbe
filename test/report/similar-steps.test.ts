import { expect } from 'chai';
import { describe, it } from 'mocha';
import { similarSteps, undefinedStep } from '../../features/report/similar-steps.js';
import { readable } from '../../features/report/steps.js';

const PATTERNS = [
  'a connected clock[ that I am subscribed to]',
  'a connected die[ and a client of the event stream]',
  'a die',
  'I send {word} {string}[ as {string}] with {text}',
  'the answer has {string} {text}',
  'the answer has the status {int}',
  'the answer is {int}',
  'the fault has acted',
];

describe('Similar steps', () => {
  const cases: readonly (readonly [text: string, nearest: string])[] = [
    ['a connected dice', 'a connected die[ and a client of the event stream]'],
    ['a conected die', 'a connected die[ and a client of the event stream]'],
    ['the answer has status 200', 'the answer has the status {int}'],
    ['the answer is "200"', 'the answer is {int}'],
    ['I send POST to "/api/led" with {"x": 1}', 'I send {word} {string}[ as {string}] with {text}'],
  ];
  for (const [text, nearest] of cases) {
    it(`begin with "${nearest}" for "${text}"`, () => {
      expect(similarSteps(text, PATTERNS)[0]).to.equal(nearest);
    });
  }

  it('are at most three', () => {
    expect(similarSteps('the answer has "x" 1', PATTERNS)).to.have.lengthOf(3);
  });

  it('are named in the message about an undefined step', () => {
    expect(undefinedStep('the fault acted', ['the fault has acted'])).to.equal(
      'there is no step "the fault acted"\nsimilar steps:\n  the fault has acted',
    );
  });

  it('are missing in the message about a step unlike all others', () => {
    expect(undefinedStep('nobody minds green cheese', PATTERNS)).to.contain('no step is similar');
  });
});

describe('The readable form of a pattern', () => {
  const cases: readonly (readonly [source: string, form: string])[] = [
    ['^the (die|clock) is connected$', 'the (die|clock) is connected'],
    ['^the result has "([^"]+)" (.+)$', 'the result has {string} {text}'],
    ['^I command (\\{.*\\})$', 'I command {json}'],
    ['^I connect the die(?: again)?(?: as (\\S+))?$', 'I connect the die[ again][ as {word}]'],
    [
      '^I send (\\w+) "([^"]+)"(?: as "([^"]+)")? with (?!a )(.+)$',
      'I send {word} {string}[ as {string}] with {text}',
    ],
  ];
  for (const [source, form] of cases) {
    it(`of ${source} is ${form}`, () => {
      expect(readable(source, 'REGULAR_EXPRESSION')).to.equal(form);
    });
  }

  it('of a cucumber expression is the expression, its nameless values named', () => {
    expect(readable('its {string} is {}', 'CUCUMBER_EXPRESSION')).to.equal('its {string} is {text}');
  });
});
