import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AIRBENCH } from '../../src/system/package.js';
import { requireUnix } from '../support/require.js';

describe('A program that may open few files', () => {
  const stderrWith = (files: number): string => {
    const limited = ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, AIRBENCH];
    return spawnSync('sh', [...limited, 'proxy', '--help'], { encoding: 'utf8', timeout: 20_000 }).stderr;
  };

  it('says so in one line where they are too few', function () {
    requireUnix(this, 'ulimit');
    let [files, stderr] = [50, ''];
    while (stderr === '' && files > 10) stderr = stderrWith((files -= 2));
    expect(stderr).to.equal(
      'airbench: it may not open enough files: raise the limit, such as by `ulimit -n 1024`\n',
    );
  });
});
