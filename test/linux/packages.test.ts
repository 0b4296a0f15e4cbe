import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readArchives } from '../../simulators/lab/linux/packages.js';

// Three lines as apt 2.6 printed them on Debian 12.
const PRINTED = `Reading package lists...
Building dependency tree...
'http://archive.example/debian/pool/main/g/gcc-12/gcc-12-base_12.2.0-14%2bdeb12u1_amd64.deb' gcc-12-base_12.2.0-14+deb12u1_amd64.deb 37596 MD5Sum:8e7e741807b1e1939df8f58323affdcb
'http://archive.example/debian/pool/main/b/busybox/busybox-static_1.35.0-4%2bdeb12u1%2bb1_amd64.deb' busybox-static_1%3a1.35.0-4+deb12u1+b1_amd64.deb 928188 MD5Sum:0123456789abcdef0123456789abcdef
'http://archive.example/debian-security/pool/updates/main/l/linux-signed-amd64/linux-image-amd64_6.1.192-2_amd64.deb' linux-image-amd64_6.1.192-2_amd64.deb 1480 
`;

describe('The list of files that apt would download', () => {
  it('has each file with its checksum, its size, and its version for apt', () => {
    expect(readArchives(PRINTED)).to.deep.equal([
      {
        file: 'gcc-12-base_12.2.0-14+deb12u1_amd64.deb',
        checksum: 'MD5Sum:8e7e741807b1e1939df8f58323affdcb',
        bytes: 37596,
        spec: 'gcc-12-base=12.2.0-14+deb12u1',
      },
      {
        file: 'busybox-static_1%3a1.35.0-4+deb12u1+b1_amd64.deb',
        checksum: 'MD5Sum:0123456789abcdef0123456789abcdef',
        bytes: 928188,
        spec: 'busybox-static=1:1.35.0-4+deb12u1+b1',
      },
      {
        file: 'linux-image-amd64_6.1.192-2_amd64.deb',
        checksum: '',
        bytes: 1480,
        spec: 'linux-image-amd64=6.1.192-2',
      },
    ]);
  });

  it('is empty if apt has nothing to download', () => {
    expect(readArchives('Reading package lists...\n')).to.deep.equal([]);
  });
});
