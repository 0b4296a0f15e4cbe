import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

// That they are YAML is checked by prettier.
for (const sample of ['ci/github-workflow.yml', 'ci/gitlab-ci.yml']) {
  const text = readFileSync(sample, 'utf8');

  describe(`The sample ${sample}`, () => {
    it('runs scripts that there are, all that `npm test` runs but the capture among them', () => {
      const named = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name);
      expect(Object.keys(scripts)).to.include.members(named);
      expect(named).to.include.members(['build', 'lint', 'unit', 'features']);
    });

    it('knows both versions of Node, and keeps the reports', () => {
      expect(text).to.match(/\[\D*20\D*22\D*\]/);
      expect(text).to.contain('reports/');
    });
  });
}
