import { expect } from 'chai';
import { describe, it } from 'mocha';
import { cpio } from '../../src/linux/cpio.js';

describe('An archive for the kernel', () => {
  it('has a header of 110 characters, a name and the bytes for each file, each filled up to four', () => {
    const archive = cpio([{ path: 'a', mode: 0o755, content: 'hello' }]).toString('latin1');
    const header = '070701' + '00000001' + '000081ed' + '00000000'.repeat(2) + '00000001' + '00000000';
    const sizes = '00000005' + '00000000'.repeat(4) + '00000002' + '00000000';
    expect(archive.slice(0, 120)).to.equal(`${header}${sizes}a\0hello\0\0\0`);
    const trailer = archive.slice(120);
    expect(trailer)
      .to.match(/^070701/)
      .and.to.have.lengthOf(124);
    expect(trailer.slice(110)).to.equal('TRAILER!!!\0\0\0\0');
  });

  it('counts bytes, not characters', () => {
    const archive = cpio([{ path: 'ä', mode: 0o644, content: '€' }]).toString('latin1');
    expect([archive.slice(54, 62), archive.slice(94, 102)]).to.deep.equal(['00000003', '00000003']);
  });
});
