import { expect } from 'chai';
import { describe, it } from 'mocha';
import { connect } from 'mqtt';
import { startTcp } from '../../features/support/loopback.js';
import { accessOf, addressOf } from '../../src/mqtt/broker-options.js';
import { keeper } from '../support/keep.js';

describe('The WebSocket of a broker', () => {
  const keep = keeper();

  const clientOf = (address: string) => {
    const options = { url: new URL(address) };
    return connect(addressOf(options), {
      ...accessOf(options),
      ...{ manualConnect: true, reconnectPeriod: 0 },
    });
  };

  const problemOf = async (address: string): Promise<string> => {
    const client = clientOf(address);
    const failed = new Promise<Error>((resolve) => client.once('error', resolve));
    client.connect();
    keep({ close: () => client.endAsync(true) });
    return (await failed).message;
  };

  for (const [title, answer, problem] of [
    ['refuses it', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', 'HTTP 403'],
    ['closes the connection', '', 'socket hang up'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH\r\n', 'Parse Error'],
  ] as const)
    it(`is missing with the reason if the broker ${title}`, async () => {
      const { port } = keep(await startTcp((socket) => socket.once('data', () => socket.end(answer))));
      expect(await problemOf(`ws://127.0.0.1:${port}/mqtt`)).to.include(`no WebSocket at /mqtt: ${problem}`);
    });

  it('may have an IPv6 address', async () => {
    expect(await problemOf('ws://[::1]:9/')).to.include('no WebSocket at /: connect ');
  });

  it('leaves each client an id of its own, whatever the query says', () => {
    const { clientId } = clientOf('ws://broker.example/mqtt?clientId=mine').options;
    expect(clientId).to.be.a('string').that.does.not.equal('mine');
  });
});
