import { expect } from 'chai';
import { describe, it } from 'mocha';
import { foundServer } from '../../src/cli/servers/mdns.js';

const referer = { address: '192.0.2.7', family: 'IPv4', port: 5353, size: 0 } as const;

describe('A server found by mDNS', () => {
  for (const [path, url] of [
    ['/', 'http://192.0.2.7:3000/'],
    ['/dice', 'http://192.0.2.7:3000/dice'],
    ['@evil.example/', 'http://192.0.2.7:3000/'],
    ['0@evil.example/', 'http://192.0.2.7:3000/'],
    ['//evil.example/', 'http://192.0.2.7:3000//evil.example/'],
    ['/\\evil.example/', 'http://192.0.2.7:3000//evil.example/'],
    ['/\u001b[2J\u202e', 'http://192.0.2.7:3000/%1B[2J%E2%80%AE'],
    ['', 'http://192.0.2.7:3000/'],
  ] as const) {
    it(`has the host that answered, whatever the path in its record: ${JSON.stringify(path)}`, () => {
      expect(foundServer({ txt: { path }, port: 3000, addresses: [], referer }).url).to.equal(url);
    });
  }

  it('may have an IPv6 address', () => {
    const server = foundServer({ txt: { path: '/' }, port: 3000, addresses: ['fd00::7'] });
    expect(server.url).to.equal('http://[fd00::7]:3000/');
  });
});
