/** The guards around every test. */
import { spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';

describe('A test', () => {
  it('fails when it listens on a default port or connects to one', async () => {
    expect(() => createServer().listen(3000)).to.throw('a test uses the default port 3000');
    expect(() => createServer().listen({ port: 3100 })).to.throw('default port 3100');
    expect(() => connect(6402)).to.throw('default port 6402');
    const refusal = (await fetch('http://127.0.0.1:3001/').catch((error: unknown) => error)) as Error;
    expect(refusal.cause).to.be.an('error').with.property('message').that.contains('default port 3001');
  });

  it('fails when a program that it starts listens on a default port', () => {
    const { status, stderr } = spawnSync(process.execPath, [
      '-e',
      'require("net").createServer().listen(3000)',
    ]);
    expect(status).to.equal(1);
    expect(stderr.toString()).to.contain('default port 3000');
  });

  it('fails when it ends its process', () => {
    expect(() => process.exit(3)).to.throw('a test ends its process with status 3');
  });
});
