import { expect } from 'chai';
import { describe, it } from 'mocha';
import { left, right } from '../../support/either.js';
import { HASTE } from '../../support/att-host.js';
import { deviceOf, serviceOf } from './scene.js';

/** Error Response (Core 5.4 Vol 3 Part F 3.4.1.1) to a request with `opcode`, for handle 0x000c. */
const refusal = (opcode: string, error: string): string => `01 ${opcode} 0c 00 ${error}`;

const READ = '0a 0c 00';

describe('The ATT server of a device from a file', () => {
  it('has its own GAP and GATT services, then the described services, with their properties', async () => {
    const services = serviceOf({ uuid: '2a19', properties: ['read', 'notify'] });
    const { answers } = await deviceOf({ name: 'X', ...services });
    await answers(`
      10 01 00 ff ff 00 28 | 11 06 01 00 05 00 00 18 06 00 09 00 01 18 0a 00 0d 00 cd ab
      08 0a 00 0d 00 03 28 | 09 07 0b 00 12 0c 00 19 2a
      04 0c 00 0d 00       | 05 01 0c 00 19 2a 0d 00 02 29
      0a 03 00             | 0b 58
    `);
  });

  it('reads and writes long values in parts, and refuses parts after their end', async () => {
    const value = 'ab'.repeat(40);
    const { ask, device } = await deviceOf(
      serviceOf({ uuid: '1111', id: 'long', properties: ['read', 'write'], value, max_length: 44 }),
    );
    expect(await ask(READ)).to.equal(`0b ${'ab '.repeat(22).trim()}`);
    expect(await ask('0c 0c 00 16 00')).to.equal(`0d ${'ab '.repeat(18).trim()}`);
    expect(await ask('0c 0c 00 29 00')).to.equal(refusal('0c', '07'));
    expect(await ask('16 0c 00 02 00 01 02 03')).to.equal('17 0c 00 02 00 01 02 03');
    expect(await ask('18 01')).to.equal('19');
    expect(device.model()['values']).to.have.property('long', 'abab010203');
    await ask('16 0c 00 09 00 01');
    expect(await ask('18 01')).to.equal(refusal('18', '07'));
    expect(await ask(`12 0c 00 ${'00'.repeat(20)}`)).to.equal('13');
    for (const offset of ['00', '12', '24']) await ask(`16 0c 00 ${offset} 00 ${'00'.repeat(18)}`);
    expect(await ask('18 01'), '54 octets').to.equal(refusal('18', '0d'));
  });

  it('agrees to an MTU of at most its own', async () => {
    const { ask } = await deviceOf({
      mtu: 40,
      ...serviceOf({ uuid: '1111', properties: ['read'], value: '00'.repeat(60) }),
    });
    expect(await ask('02 00 02')).to.equal('03 28 00');
    expect((await ask(READ)).split(' ')).to.have.length(40);
  });

  it('refuses forbidden operations, and a client configuration that it does not have', async () => {
    const { answers } = await deviceOf(serviceOf({ uuid: '1111', properties: ['notify'] }));
    // To the configuration 0x000d: three octets, indications, notifications, and the same in parts (Vol 3 Part G 4.12.4).
    await answers(`
      0a 0c 00          | 01 0a 0c 00 02
      12 0c 00 01       | 01 12 0c 00 03
      12 0d 00 01 00 00 | 01 12 0d 00 0d
      12 0d 00 02 00    | 01 12 0d 00 fd
      12 0d 00 01 00    | 13
      0a 0d 00          | 0b 01 00
      12 0d 00 00 00    | 13
      16 0d 00 00 00 01 | 17 0d 00 00 00 01
      16 0d 00 01 00 00 | 17 0d 00 01 00 00
      18 01             | 19
      0a 0d 00          | 0b 01 00
    `);
  });

  it('makes a changing value anew with each read, by ramp, sequence and noise', async () => {
    const { ask } = await deviceOf(
      serviceOf({
        ...{ uuid: '1111', properties: ['read'] },
        value: [
          { u8: { ramp: { from: 1, to: 3, back: true } } },
          { s16be: { sequence: [-1, 258] } },
          { u8: { noise: { around: 100, by: 5 } } },
        ],
      }),
    );
    const values = [await ask(READ), await ask(READ), await ask(READ), await ask(READ), await ask(READ)];
    const regular = values.map((value) => value.slice(3, 11));
    expect(regular).to.deep.equal(['01 ff ff', '02 01 02', '03 ff ff', '02 01 02', '01 ff ff']);
    for (const value of values) expect(parseInt(value.slice(12), 16)).to.be.within(95, 105);
    expect(new Set(values.map((value) => value.slice(12))).size).to.be.above(1);
  });

  it('notifies and indicates by itself, on time, and only to a host that has subscribed', async () => {
    const { ask, send, pass } = await deviceOf(
      serviceOf(
        {
          ...{ uuid: '1111', properties: ['notify'], notify: { every_ms: 1000 } },
          value: { u8: { ramp: { from: 1, to: 9 } } },
        },
        { uuid: '2222', properties: ['indicate'], notify: { every_ms: 1000, values: ['aa', 'bb'] } },
      ),
    );
    expect(await pass(3000)).to.deep.equal([]);
    await ask('12 0d 00 01 00');
    expect(await pass(2000)).to.deep.equal(['1b 0c 00 01', '1b 0c 00 02']);
    await ask('12 0d 00 00 00');
    expect(await pass(2000)).to.deep.equal([]);
    await ask('12 10 00 02 00');
    expect(await pass(3000), 'one until it is confirmed').to.deep.equal(['1d 0f 00 aa']);
    await send('1e');
    expect(await pass(1000)).to.deep.equal(['1d 0f 00 bb']);
  });

  it('answers a write by its prefix: an error, a delay, another value, notifications', async () => {
    const { ask, send, pass, device } = await deviceOf(
      serviceOf(
        {
          uuid: '1111',
          id: 'in',
          properties: ['write'],
          on_write: [
            { prefix: '01', error: 0x81, delay_ms: 500 },
            { prefix: '02', value: [{ hex: 'ff' }, { written: 1 }] },
            { notify: [{ characteristic: 'out', value: { written: 0 }, after_ms: 100 }] },
          ],
        },
        { uuid: '2222', id: 'out', properties: ['notify'] },
      ),
    );
    await send('12 0c 00 01');
    expect(await pass(499)).to.deep.equal([]);
    expect(await pass(1)).to.deep.equal([refusal('12', '81')]);
    expect(await ask('12 0c 00 02 05 06')).to.equal('13');
    expect(device.model()['values']).to.include({ in: 'ff0506' });
    await ask('12 0f 00 01 00');
    expect(await ask('12 0c 00 09 08')).to.equal('13');
    expect(await pass(99)).to.deep.equal([]);
    expect(await pass(1)).to.deep.equal(['1b 0e 00 09 08']);
  });

  it('misbehaves as configured: silent, late, mute, or with errors', async () => {
    const { ask, send, pass, device, act } = await deviceOf(
      serviceOf({ uuid: '1111', id: 'one', properties: ['read', 'notify'], value: '07' }),
    );
    await ask('12 0d 00 01 00');
    right(device.setBehaviour({ errors: [{ characteristic: 'one', on: 'read', error: 0x80 }] }));
    expect(await ask(READ)).to.equal(refusal('0a', '80'));
    right(device.setBehaviour({ answer_delay_ms: 300 }));
    await send(READ);
    expect(await pass(299)).to.deep.equal([]);
    expect(await pass(1)).to.deep.equal(['0b 07']);
    right(device.setBehaviour({ mute: true }));
    right(act({ type: 'notify', characteristic: 'one' }));
    expect(await pass(1000)).to.deep.equal([]);
    right(device.setBehaviour({ silent: true }));
    await send(READ);
    expect(await pass(60_000)).to.deep.equal([]);
  });

  it('refuses a host that has not paired, is not authenticated or is not authorised, each with its own error', async () => {
    const { ask, act, pair } = await deviceOf({
      pairing: { io: 'display' },
      ...serviceOf(
        { uuid: '1111', properties: ['read'], permissions: { read: 'encrypted' } },
        { uuid: '2222', properties: ['read'], permissions: { read: 'authenticated' } },
        { uuid: '3333', id: 'third', properties: ['read'], permissions: { read: 'authorised' }, value: '33' },
      ),
    });
    expect(await ask(READ)).to.equal(refusal('0a', '05'));
    expect(await ask('0a 0e 00')).to.equal('01 0a 0e 00 05');
    expect(await ask('0a 10 00')).to.equal('01 0a 10 00 08');
    right(act({ type: 'authorise', characteristic: 'third' }));
    expect(await ask('0a 10 00')).to.equal('0b 33');
    right(act({ type: 'authorise', characteristic: 'third', allowed: false }));
    expect(await ask('0a 10 00')).to.equal('01 0a 10 00 08');
    expect(await pair('01 03 00 01 10 00 01'), 'Pairing Response: display, bonding, MITM, SC').to.match(
      /^02 00 00 0d 10/,
    );
  });

  it('waits 30 seconds for a host to continue with pairing, as the Core specification requires, at any pace', async () => {
    const { pair, pass } = await deviceOf({ pairing: {} });
    expect(await pair('01 03 00 09 10 00 00')).to.equal('02 03 00 09 10 00 00');
    await pass(HASTE * 29_999);
    expect(await pair(`0c ${'01 '.repeat(64).trim()}`), 'a point off the curve').to.equal('05 0a');
  });

  it('does not pair where nothing needs it', async () => {
    const { pair, act } = await deviceOf(serviceOf({ uuid: '1111', properties: ['read'] }));
    expect(await pair('01 03 00 09 10 00 00')).to.equal('05 05');
    expect(left(act({ type: 'passkey', passkey: 1 }))).to.deep.include({ code: 'not_asked' });
    expect(left(act({ type: 'set', characteristic: '9999', value: '00' }))).to.have.property(
      'message',
      'characteristic must be one of 2a00, 2a01, 2a05, 1111, got 9999',
    );
  });

  it('refuses requests of a wrong length, and reserved flags of Execute Write (Vol 3 Part F 3.4)', async () => {
    const { ask } = await deviceOf(serviceOf({ uuid: '1111', properties: ['read', 'write'] }));
    for (const request of [
      ...['02 17', '04 01 00 ff ff 00', '08 01 00 ff ff 03', '08 01 00 ff ff 03 28 00 00', '10 01 00 ff ff'],
      ...['0a 0c 00 00', '0c 0c 00 00', '18', '18 02', '0e 0c 00', '0e 0c 00 03 00 01'],
    ])
      expect(await ask(request), request).to.equal(`01 ${request.slice(0, 2)} 00 00 04`);
  });

  it('uses a new MTU only after its response is sent (Vol 3 Part F 3.4.2.2)', async () => {
    const { ask, send, pass, device, act } = await deviceOf(
      serviceOf({ uuid: '1111', id: 'one', properties: ['notify'], value: 'ab'.repeat(60) }),
    );
    await ask('12 0d 00 01 00');
    right(device.setBehaviour({ answer_delay_ms: 300 }));
    await send('02 00 02');
    right(act({ type: 'notify', characteristic: 'one' }));
    const [early = '', response] = await pass(300);
    expect([early.split(' ').length, response]).to.deep.equal([23, '03 f7 00']);
    right(act({ type: 'notify', characteristic: 'one' }));
    const [late = ''] = await pass(0);
    expect(late.split(' ')).to.have.length(63);
  });

  it('reads several values like single ones: made anew, late, or refused (Vol 3 Part F 3.4.4.7)', async () => {
    const { ask, send, pass, device } = await deviceOf(
      serviceOf(
        {
          ...{ uuid: '1111', properties: ['read'], on_read: { delay_ms: 200 } },
          value: { u8: { sequence: [1, 2] } },
        },
        { uuid: '2222', id: 'second', properties: ['read'], value: 'ff' },
      ),
    );
    for (const first of ['01', '02']) {
      await send('0e 0c 00 0e 00');
      expect(await pass(199)).to.deep.equal([]);
      expect(await pass(1)).to.deep.equal([`0f ${first} ff`]);
    }
    right(device.setBehaviour({ errors: [{ characteristic: 'second', on: 'read', error: 0x80 }] }));
    expect(await ask('0e 0e 00 0c 00')).to.equal('01 0e 0e 00 80');
  });

  it('continues indications after a confirmation while it was silent, until a host unsubscribes (Vol 3 Part G 3.3.3.3)', async () => {
    const { ask, send, pass, device, act } = await deviceOf(
      serviceOf({ uuid: '1111', id: 'one', properties: ['indicate'], value: '07' }),
    );
    await ask('12 0d 00 02 00');
    right(act({ type: 'notify', characteristic: 'one' }));
    expect(await pass(0)).to.deep.equal(['1d 0c 00 07']);
    right(device.setBehaviour({ silent: true }));
    await send('1e');
    right(device.setBehaviour({}));
    for (let sent = 0; sent < 3; sent += 1) right(act({ type: 'notify', characteristic: 'one' }));
    expect(await pass(0)).to.deep.equal(['1d 0c 00 07']);
    await ask('12 0d 00 00 00');
    await send('1e');
    expect(await pass(0), 'indications that waited for a confirmation').to.deep.equal([]);
  });

  it('has values of 512 octets at most, whatever an answer adds (Vol 3 Part F 3.2.9)', async () => {
    const { ask, device } = await deviceOf({
      mtu: 517,
      ...serviceOf({
        ...{ uuid: '1111', id: 'one', properties: ['write'] },
        on_write: [{ value: [{ written: 0 }, { written: 0 }] }],
      }),
    });
    await ask('02 05 02');
    expect(await ask(`12 0c 00 ${'ab'.repeat(500)}`)).to.equal('13');
    expect(device.model()['values']).to.have.property('one', 'ab'.repeat(512));
  });

  it('authorises a host for the descriptors of a characteristic too', async () => {
    const { ask, act } = await deviceOf(
      serviceOf({
        ...{ uuid: '1111', id: 'one', properties: ['read'] },
        descriptors: [{ uuid: '2904', value: '04', permissions: { read: 'authorised' } }],
      }),
    );
    expect(await ask('0a 0d 00')).to.equal('01 0a 0d 00 08');
    right(act({ type: 'authorise', characteristic: 'one' }));
    expect(await ask('0a 0d 00')).to.equal('0b 04');
  });

  it('rejects unknown requests of L2CAP, but not responses (Core 5.4 Vol 3 Part A 4.1)', async () => {
    const { signal } = await deviceOf(serviceOf({ uuid: '1111', properties: ['read'] }));
    const connection = '14 07 0a 00 25 00 40 00 40 00 40 00 01 00';
    expect(await signal(connection)).to.deep.equal(['05 00 01 07 02 00 00 00']);
    expect(await signal('7f 09 00 00'), 'an unknown code').to.deep.equal(['05 00 01 09 02 00 00 00']);
    expect(await signal('13 01 02 00 00 00'), 'a response').to.deep.equal([]);
    expect(await signal('14 07'), 'cut short').to.deep.equal([]);
  });

  it('drops a fragment whose beginning was lost (Core 5.4 Vol 3 Part A 7.2.2)', async () => {
    const { ask, continueNothing } = await deviceOf(
      serviceOf({ uuid: '1111', properties: ['read'], value: '07' }),
    );
    expect(await continueNothing(READ)).to.deep.equal([]);
    expect(await ask(READ)).to.equal('0b 07');
  });
});
