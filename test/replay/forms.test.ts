/** The forms of captures: each is read as its documents describe it. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { describeRecording } from '../../simulators/lab/import/recording.js';
import { recorded, strap } from './captures.js';
import { forms } from './forms.js';

describe('The same link is read', () => {
  for (const [form, file] of Object.entries(forms)) {
    it(`from a ${form}`, async () => {
      const [expected, read] = [await recorded(strap()), await recorded(file)];
      expect(describeRecording(read)).to.deep.equal(describeRecording(expected));
      expect(read.links).to.deep.equal(expected.links);
    });
  }
});
