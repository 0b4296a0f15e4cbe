import { expect } from 'chai';
import { describe, it } from 'mocha';
import { rows } from '../support/rows.js';
import { linkTo } from '../../src/page/common/links.js';

const EVERYWHERE = { url: null, address: '0.0.0.0' };
const SERVERS = {
  dice: { ...EVERYWHERE, port: 3000 },
  clock: { ...EVERYWHERE, port: 3001 },
  simulator: { url: null, address: '127.0.0.1', port: 3100 },
  'clock at fd00::1': { url: null, address: 'fd00::1', port: 3001 },
  'clock with a URL': { ...EVERYWHERE, port: 3001, url: 'https://home.example/clock/' },
};

/** The page that has the link, its server, the other server, and the link. */
const LINKS = rows(
  4,
  `
  http://dice.local:3000/      | dice      | clock            | http://dice.local:3001/
  http://localhost:3000/       | dice      | simulator        | http://localhost:3100/
  http://127.0.0.2:3000/       | dice      | simulator        | http://127.0.0.1:3100/
  http://dice.local:3000/      | dice      | simulator        | left out
  http://127.0.0.1:3100/       | simulator | dice             | http://127.0.0.1:3000/
  http://dice.local:3000/      | dice      | clock at fd00::1 | http://[fd00::1]:3001/
  https://dice.local:3000/     | dice      | clock            | left out
  http://dice.local/           | dice      | clock            | left out
  http://dice.local:3000/dice/ | dice      | clock            | left out
  https://home.example/dice/   | dice      | clock with a URL | https://home.example/clock/
  `,
);

describe('A link to another page of the rig', () => {
  const server = (name: string) => SERVERS[name as keyof typeof SERVERS];
  for (const [base, own, other, link] of LINKS)
    it(`from ${base} of ${own} to ${other} is ${link}`, () => {
      expect(linkTo(server(other), { own: server(own), base: new URL(base) }) ?? 'left out').to.equal(link);
    });
});
