/** Lists the scenarios of a run, each with its place (FILE:LINE), its name and its tags. */
import type { Plugin } from '@cucumber/cucumber/api';

const plugin: Plugin = {
  type: 'plugin',
  coordinator: ({ on }) => {
    const lines = new Map<string, string>();
    on('message', ({ pickle, testCase }) => {
      if (pickle !== undefined) {
        const { id, uri, location, name, tags } = pickle;
        const place = location === undefined ? uri : `${uri}:${location.line}`;
        lines.set(id, [place, name, tags.map((tag) => tag.name).join(' ')].join('  '));
      }
      if (testCase !== undefined) process.stdout.write(`${lines.get(testCase.pickleId) ?? ''}\n`);
    });
  },
};

export default plugin;
