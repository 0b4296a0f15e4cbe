/** Tests of the sources of the evidence. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { capturedSince } from '../../features/support/btsnoop.js';
import { ServerLog } from '../../features/bench/server-log.js';

describe('A capture cut at a moment', () => {
  /** RFC 1761 with microseconds since the year 0: 0x00E03AB44A676000 is 2000-01-01 00:00 UTC. */
  const header = '6274736e6f6f7000' + '00000001' + '000007d1';
  const record = (kind: string, time: string, body: string): string => {
    const length = (body.length / 2).toString(16).padStart(8, '0');
    return `${length}${length}0000${kind}00000000${time}${body}`;
  };
  const newIndex = record('0000', '00e03ab44a676000', '00000102030405066863693000000000');
  const before = record('0002', '00e03ab44a676001', '030c00');
  const at = record('0002', '00e03ab44a6763e8', '030c00');
  const after = record('0003', '00e03ab44a6763e9', '0e0401030c00');
  const cut = Date.UTC(2000, 0, 1) + 1;

  it('keeps later records, and the records of the controllers', () => {
    const capture = Buffer.from(header + newIndex + before + at + after, 'hex');
    expect(capturedSince(capture, cut).toString('hex')).to.equal(header + newIndex + at + after);
  });

  it('is complete from the start', () => {
    const capture = Buffer.from(header + newIndex + before + at, 'hex');
    expect(capturedSince(capture, Date.UTC(1999, 0)).equals(capture)).to.be.true;
  });
});

describe('The log of the servers', () => {
  const line = (name: string, msg: string, level = 20): string =>
    JSON.stringify({ level, time: 1764176592345, pid: 1, hostname: 'h', name, msg });

  it('is separate for each server, from the beginning of the scenario', () => {
    const log = new ServerLog(() => undefined);
    log.push(line('dice server', 'of another scenario'));
    log.begin();
    log.push(line('dice server', 'mine'));
    log.push(line('clock server', 'not mine'));
    log.push('(node:1) Warning: of no server');
    expect(log.of('dice server')).to.equal('2025-11-26T17:03:12.345Z debug mine');
    expect(log.of(undefined)).to.match(/^[\d-]{10}T[\d:.]{12}Z \(node:1\) Warning: of no server$/);
  });

  it('has the fields of a line at its end', () => {
    const log = new ServerLog(() => undefined);
    log.push('{"level":30,"time":1764176592345,"name":"dice server","path":"/api/led","msg":"answered"}');
    expect(log.of('dice server')).to.equal('2025-11-26T17:03:12.345Z info answered {"path":"/api/led"}');
  });

  it('shows a person only errors and lines outside the log', () => {
    const loud: string[] = [];
    const log = new ServerLog((text) => loud.push(text));
    for (const level of [20, 30, 40]) log.push(line('dice server', 'quiet', level));
    log.push(line('dice server', 'loud', 50));
    log.push('a stack');
    expect(loud).to.deep.equal([line('dice server', 'loud', 50), 'a stack']);
  });

  it('is bounded, and counts the omitted lines', () => {
    const log = new ServerLog(() => undefined);
    for (let n = 1; n <= 5003; n++) log.push(line('dice server', `line ${n}.`));
    const text = log.of('dice server').split('\n');
    expect(text[0]).to.equal("(the log's first 3 lines are left out)");
    expect(text).to.have.lengthOf(5001);
    expect(text[1]).to.contain('line 4.');
  });

  it('can be awaited', async () => {
    const log = new ServerLog(() => undefined);
    const waiting = log.has('dice server', '/the-end', 10_000);
    log.push(line('dice server', '/something'));
    log.push(line('dice server', '/the-end'));
    await waiting;
    await log.has('dice server', '/never', 1);
    expect(log.of('dice server')).to.contain('/the-end').and.not.contain('/never');
  });
});
