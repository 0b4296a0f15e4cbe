import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { jsonOf, rows } from '../support/rows.js';
import { DIE, openFixture, closeAll, itRefuses, radioIn } from './control-fixture.js';

afterEach(closeAll);

describe('control API: faults', () => {
  const accepted = rows(
    2,
    `
    {"type":"link_loss","opcode":"Write Request","after":3}                    | {"opcode":"0x12"}
    {"type":"drop","stage":"command","opcode":"LE Create Connection"}          | {"opcode":"0x200D"}
    {"type":"drop","stage":"event","opcode":"LE Connection Complete"}          | {"opcode":"0x3E01"}
    {"type":"drop","stage":"event","opcode":"connectionComplete"}              | {"opcode":"0x3E01"}
    {"type":"drop","stage":"event","opcode":"Disconnection Complete"}          | {"opcode":"0x05"}
    {"type":"drop","stage":"acl_to_host","opcode":27,"rate":0.5}               | {"opcode":"0x1B"}
    {"type":"delay","ms":5,"stage":"command","opcode":"0x0c03"}                | {"opcode":"0x0C03"}
    {"type":"corrupt","opcode":"handle value notification"}                    | {"opcode":"0x1B"}
    {"type":"out_of_range","for_ms":10}                                        | {"hits":1}
    `,
  );
  for (const [parameters, shown] of accepted) {
    it(`accepts ${parameters}`, async () => {
      const { call } = await openFixture();
      const fault = jsonOf(parameters) as object;
      const answer = await call('POST', '/faults', { device: DIE, ...fault });
      expect(answer.json).to.deep.include({ id: 'f1', hits: 0, ...fault, ...(jsonOf(shown) as object) });
      expect((await call('GET', '/faults')).json).to.deep.equal([answer.json]);
    });
  }

  itRefuses(
    `
    POST /faults | {"device":"${DIE}","type":"drop"} | 400 invalid_input stage is missing: it must be one of command, event,
    POST /faults | {"device":"${DIE}","type":"drop","stage":"command","opcode":"Write Request"} | 400 invalid_input opcode must be the name of an HCI command such as "LE Create Connection" or its number (0 to 65535,
    POST /faults | {"device":"${DIE}","type":"delay","ms":5,"stage":"advertising"} | 400 invalid_input stage must be one of command, event, acl_from_host, acl_to_host, got "advertising"
    POST /faults | {"device":"${DIE}","type":"drop","stage":"advertising","opcode":"0x12"} | 400 invalid_input opcode is unknown here
    POST /faults | {"device":"${DIE}","type":"failed_establishment","opcode":"0x12"} | 400 invalid_input opcode is unknown here
    POST /faults | {"device":"${DIE}","type":"silence","opcode":300} | 400 invalid_input opcode must be the name of an ATT PDU such as "Write Request" or its number (0 to 255,
    POST /faults | {"type":"adapter_down","device":"all"} | 400 invalid_input device must be an adapter such as hci0, or six pairs of hex digits with colons
    `,
  );

  it('accepts adapters by their name and their address, and keeps an adapter without power', async () => {
    const scene = await openFixture();
    const { call } = scene;
    const unknown = (device: string) => ({ error: `there is no adapter ${device}`, code: 'unknown_adapter' });
    const refusal = async (type: string, device: string) =>
      (await call('POST', '/faults', { type, device })).json;
    expect(await refusal('silence', 'hci0')).to.deep.equal(unknown('hci0'));
    await radioIn(scene);
    for (const device of ['hci0', '02:A1:B0:00:00:01']) {
      expect((await call('POST', '/faults', { type: 'silence', device })).json).to.deep.include({ device });
    }
    expect(await refusal('adapter_down', DIE)).to.deep.equal(unknown(DIE));
    const adapter = { id: 'hci0', address: '02:A1:B0:00:00:01', links: 0, devices: [] };
    const { json } = await call('POST', '/faults', { type: 'adapter_down', device: 'hci0' });
    expect((await call('GET', '/adapters')).json).to.deep.include({ ...adapter, powered: false });
    const off = { id: 'hci0', powered: false };
    expect((await call('POST', '/adapters/hci0', { powered: true })).json).to.deep.equal(off);
    await call('DELETE', `/faults/${(json as { readonly id: string }).id}`);
    expect((await call('GET', '/adapters')).json).to.deep.include({ ...adapter, powered: true });
  });
});
