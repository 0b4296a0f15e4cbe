import { expect } from 'chai';
import { type DiceFixture, eachFixture, GREEN, RED } from '../support/dice-fixture.js';

describe('GET /ws', () => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));

  it('ignores bytes that are not a notification, and notifications that are not for clients', async () => {
    const { die, id } = await fixture.die(RED);
    const client = await fixture.listen();
    for (const hex of ['', '53', '53000040ff', 'ff', '42617465']) die.sayBytes(Buffer.from(hex, 'hex'));
    die.say({ _tag: 'Calibration', status: 1 }, { _tag: 'Colour', colour: 'green' }, { _tag: 'Tap' });
    expect(await client.next()).to.deep.equal({ kind: 'Tap' });
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ color: 'green' });
  });

  it('refuses an unknown detail and an unknown session', async () => {
    expect(await fixture.refusedStream('?detail=more')).to.deep.include({
      status: 400,
      body: { error: 'detail must be full, got "more"', code: 'invalid_input' },
    });
    expect(await fixture.refusedStream('?session_id=nobody')).to.deep.include({
      status: 404,
      body: { error: 'session "nobody" is not known', code: 'session_not_found' },
    });
  });

  it('reports the end of all dice to all clients before it closes', async () => {
    await fixture.die(RED);
    await fixture.die(GREEN);
    const client = await fixture.listen();
    await fixture.server.close();
    expect(await client.take(2)).to.deep.equal([{ kind: 'Disconnected' }, { kind: 'Disconnected' }]);
    expect(await client.closed).to.equal(1001);
  });
});
