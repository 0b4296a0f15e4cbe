import { expect } from 'chai';
import { describe, it } from 'mocha';
import { OPEN_ACCESS } from '../../src/access/access.js';
import { openControlProtection, protectionOf } from '../../src/cli/options/protection.js';
import { right } from '../support/either.js';
import { silent } from '../support/log.js';

const place = { allowHost: [], allowOrigin: [], trustProxy: [] };

describe('flags of limits', () => {
  it('limit what they name', () => {
    const { requestsPerMinute, socketsPerAddress, sockets } = protectionOf(
      { ...place, tokenFile: undefined, rateLimit: 7, socketsPerAddress: 8, maxSockets: 9 },
      OPEN_ACCESS,
    );
    expect({ requestsPerMinute, socketsPerAddress, sockets }).to.deep.equal({
      ...{ requestsPerMinute: 7, socketsPerAddress: 8, sockets: 9 },
    });
  });

  it('leave the requests of the control API unlimited', () => {
    const flags = { ...place, controlAddress: '127.0.0.1', controlTokenFile: undefined };
    expect(right(openControlProtection(flags, silent)).protection.requestsPerMinute).to.equal(0);
  });
});
