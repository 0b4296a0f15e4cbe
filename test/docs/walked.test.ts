/** No page has commands of which nobody knows whether they work. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { blocksIn, PAGES, readPage, sectionIn } from '../support/documents.js';
import { isCommands, LACKING } from '../support/walk.js';
import { COMPILED, IN_A_GUEST, QUICK } from './rows.js';

const walked = (page: string): readonly string[] =>
  [...QUICK, ...COMPILED, ...IN_A_GUEST]
    .filter((row) => row.page === page)
    .flatMap(({ heading }) => blocksIn(sectionIn(readPage(page), heading)))
    .map(({ text }) => text);

describe('The commands of the documents', () => {
  for (const page of PAGES) {
    const blocks = blocksIn(readPage(page));

    it(`are run by a walk, unless they need what it lacks: ${page}`, () => {
      const commands = blocks.filter((block) => isCommands(block) && block.needs === undefined);
      expect(walked(page)).to.include.members(commands.map(({ text }) => text));
      expect(LACKING).to.include.members(blocks.flatMap(({ needs }) => needs ?? []));
    });

    it(`are in blocks of console if they stand behind a prompt: ${page}`, () => {
      const prompts = blocks.filter(({ text }) => text.startsWith('$ '));
      expect(prompts.map(({ language }) => language)).to.deep.equal(prompts.map(() => 'console'));
    });
  }
});
