import { expect } from 'chai';
import { describe, it } from 'mocha';
import { linkTo } from '../../src/page/shared/links.js';

const EVERYWHERE = { url: null, address: '0.0.0.0' };
const LOCAL = { url: null, address: '127.0.0.1' };

const DICE = { ...EVERYWHERE, port: 3000 };
const CLOCK = { ...EVERYWHERE, port: 3001 };
const SIMULATOR = { ...LOCAL, port: 3100 };

describe('A link to another page of the rig', () => {
  const cases = [
    [
      'to a server that listens everywhere',
      'http://dice.local:3000/',
      DICE,
      CLOCK,
      'http://dice.local:3001/',
    ],
    [
      'from the machine to a local server',
      'http://localhost:3000/',
      DICE,
      SIMULATOR,
      'http://localhost:3100/',
    ],
    ['from an address of loopback', 'http://127.0.0.2:3000/', DICE, SIMULATOR, 'http://127.0.0.1:3100/'],
    ['from another machine to a local server', 'http://dice.local:3000/', DICE, SIMULATOR, null],
    ['from a local server', 'http://127.0.0.1:3100/', SIMULATOR, DICE, 'http://127.0.0.1:3000/'],
    [
      'to a server of one address',
      'http://dice.local:3000/',
      DICE,
      { ...CLOCK, address: 'fd00::1' },
      'http://[fd00::1]:3001/',
    ],
    ['behind a proxy with TLS', 'https://dice.local:3000/', DICE, CLOCK, null],
    ['behind a proxy at another port', 'http://dice.local/', DICE, CLOCK, null],
    ['behind a proxy with a prefix', 'http://dice.local:3000/dice/', DICE, CLOCK, null],
    [
      'with a URL of its own behind a proxy',
      'https://home.example/dice/',
      DICE,
      { ...CLOCK, url: 'https://home.example/clock/' },
      'https://home.example/clock/',
    ],
  ] as const;
  for (const [name, base, own, to, expected] of cases) {
    it(`${name} is ${expected ?? 'left out'}`, () => {
      expect(linkTo(to, { own, base: new URL(base) })).to.equal(expected);
    });
  }
});
