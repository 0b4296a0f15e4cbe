import { expect } from 'chai';
import { describe, it } from 'mocha';
import { decodeSpecs } from '../../../simulators/control/index.js';
import { describeRecording } from '../../../simulators/lab/import/recording.js';
import { recorded, strap } from '../../replay/captures.js';
import { right } from '../../support/either.js';

describe('A device that a capture describes', () => {
  it('has its name, advertisement, attributes, values, notifications and answers', async () => {
    const described = describeRecording(await recorded(strap()));
    expect(described).to.deep.include({
      ...{ kind: 'gatt', name: 'Strap', address: 'C0:FF:EE:00:00:01', address_type: 'random', mtu: 65 },
    });
    expect(described['services']).to.deep.include({
      uuid: '180d',
      characteristics: [
        {
          ...{ uuid: '2a37', properties: ['notify'] },
          notify: { every_ms: 500, values: ['0048', '0049'] },
        },
        { uuid: '2a38', properties: ['read'], value: '01' },
        {
          ...{ uuid: '2a39', properties: ['write'] },
          on_write: [
            { prefix: '01', notify: [{ characteristic: '2a37', value: '084a0000', after_ms: 40 }] },
            { prefix: '02', error: 0x80 },
          ],
        },
      ],
    });
    expect(right(decodeSpecs([described]))).to.have.length(1);
  });
});
