import { expect } from 'chai';
import { codeOf, eachFixture, LIMITS, RED, type DiceFixture } from '../../../support/dice-fixture.js';
import { BATTERY_MS } from '../../../../src/dice/session.js';
import { FakePixels, IDENTITIES } from './fake-pixels.js';

const WHO_ARE_YOU = '01';
const ORANGE_FOR_LONG = '1D01FFFF0080FF00FFFFFFFF0001';

const BACK = [{ kind: 'Disconnected' }, { kind: 'Reconnected' }];

describe('A Pixels die', () => {
  let fixture: DiceFixture;
  let die: FakePixels;
  eachFixture((started) => (fixture = started));
  beforeEach(() => {
    die = fixture.radio.put(new FakePixels(RED, fixture.radio));
  });

  const connect = (dice_type?: string): ReturnType<DiceFixture['post']> =>
    fixture.post('/api/connect', { address: RED, ...(dice_type && { dice_type }) });

  it('is recognised by its scan response alone, without a name, and not as a GoDice', async () => {
    fixture.radio.advertise(die, { name: null, manufacturerData: null });
    const connecting = fixture.connect(RED);
    await fixture.time.pass(LIMITS.scan);
    const id = await connecting;
    expect((await fixture.get(`/api/status/${id}?detail=full`)).body).to.include({ maker: 'Pixels' });
  });

  it('is connected for other clients even if a client names a wrong type', async () => {
    die.holdConnect = true;
    const answers = [connect('d6'), connect(), connect('d20'), connect('d8')];
    await fixture.radio.until(() => die.connects > 0);
    await fixture.get('/api/sessions');
    die.release();
    expect((await Promise.all(answers)).map(({ status }) => status)).to.deep.equal([400, 200, 200, 400]);
  });

  describe('once connected', () => {
    let id: string;
    beforeEach(async () => {
      id = await fixture.connect(RED);
      die.takeWritten();
    });

    it('reports its battery once for each change, and a roll', async () => {
      const client = await fixture.listen();
      die.say(...'030203 030307 030309 03010B 03050B 225000 224C02 224C02 224C03 224B03'.split(' '));
      expect(await client.take(5)).to.deep.equal([
        { kind: 'RollStart' },
        { kind: 'Stable', face: 12, acceleration: null },
        { kind: 'BatteryLevel', level: 76 },
        { kind: 'Charging', charging: true },
        { kind: 'BatteryLevel', level: 75 },
      ]);
    });

    it('answers a request for its battery, and the answer makes an event if it is new', async () => {
      const client = await fixture.listen();
      expect((await fixture.get(`/api/battery/${id}`)).body).to.deep.equal({
        ...{ session_id: id, battery_level: 76 },
      });
      expect(die.takeWritten()).to.deep.equal(['21']);
      expect(await client.take(2)).to.deep.equal([
        { kind: 'BatteryLevel', level: 76 },
        { kind: 'Charging', charging: true },
      ]);
    });

    it('is asked for its battery again and again, although it reports changes by itself', async () => {
      await fixture.time.pass(BATTERY_MS);
      await fixture.radio.until(() => die.commands.length > 0);
      expect(die.takeWritten()).to.deep.equal(['21']);
    });

    it('stays connected if it does not answer, and its silence is reported', async () => {
      die.silent.add('RequestBatteryLevel').add('Blink');
      const battery = fixture.get(`/api/battery/${id}`);
      await fixture.time.pass(LIMITS.answer);
      expect(codeOf(await battery)).to.equal('answer_timeout');
      const led = fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
      await fixture.time.pass(LIMITS.answer);
      expect(codeOf(await led)).to.equal('answer_timeout');
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ connected: true });
    });

    it('ignores bytes that are not a notification', async () => {
      const client = await fixture.listen();
      die.say('', '00', 'FE0102', '03', '0301', '03050099', '030313');
      expect(await client.next()).to.deep.equal({ kind: 'MoveStable', face: 1, acceleration: null });
      expect(await client.next()).to.deep.equal({ kind: 'RollStart' });
    });

    it('is lit again after a loss, and reports a roll during the loss', async () => {
      await fixture.post('/api/led', { session_id: id, led1: '#ff8000' });
      die.takeWritten();
      const client = await fixture.listen();
      die.identity = Buffer.from(IDENTITIES.legacy);
      die.identity[19] = 4;
      die.lose();
      fixture.radio.advertise(die);
      expect(await client.take(3)).to.deep.equal([...BACK, { kind: 'Stable', face: 5, acceleration: null }]);
      expect(die.takeWritten()).to.deep.equal([WHO_ARE_YOU, ORANGE_FOR_LONG]);
    });
  });

  const nameless = { name: null, manufacturerData: null };
  for (const [title, profile, changes] of [
    ['after an update of its firmware to another profile', 'current', {}],
    ['after an update, by its scan response alone', 'current', nameless],
    ['without a sign of Pixels', 'legacy', { ...nameless, serviceUuids: [], serviceData: [] }],
  ] as const) {
    it(`is connected again ${title}`, async () => {
      const id = await fixture.connect(RED);
      const client = await fixture.listen();
      die.lose();
      die.update(profile);
      fixture.radio.advertise(die, changes);
      expect(await client.take(2)).to.deep.equal(BACK);
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ connected: true, face: 20 });
    });
  }

  for (const [title, notifications, kinds] of [
    ['goes on rolling', ['030307'], ['Stable']],
    ['rolls when it is back', [], ['RollStart', 'Stable']],
  ] as const) {
    it(`begins one roll if it ${title} after a loss of its link`, async () => {
      await fixture.connect(RED);
      die.say(...notifications);
      const client = await fixture.listen();
      die.identity = Buffer.from(IDENTITIES.legacy);
      die.identity[18] = 3;
      die.lose();
      fixture.radio.advertise(die);
      die.early = [];
      expect(await client.take(2)).to.deep.equal(BACK);
      await fixture.radio.until(() => die.link !== undefined);
      die.say('03010B');
      const events = await client.take(kinds.length);
      expect(events.map(({ kind }) => kind)).to.deep.equal(kinds);
    });
  }

  it('does not lose a roll that comes before its identity', async () => {
    die.early = ['030307', '03010B'];
    const client = await fixture.listen();
    await fixture.connect(RED);
    expect(await client.next()).to.deep.equal({ kind: 'Stable', face: 12, acceleration: null });
    expect(await client.next()).to.deep.equal({ kind: 'MoveStable', face: 20, acceleration: null });
  });

  it('is at rest if its roll ends directly after its identity', async () => {
    die.identity = Buffer.from(IDENTITIES.legacy);
    die.identity[18] = 3;
    die.late = ['03010B'];
    const client = await fixture.listen();
    const id = await fixture.connect(RED);
    expect(await client.next()).to.deep.equal({ kind: 'Stable', face: 12, acceleration: null });
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ rolling: false, face: 12 });
  });

  it('is not connected if it does not send its identity', async () => {
    die.silent.add('WhoAreYou');
    const answer = connect();
    await fixture.time.pass(LIMITS.answer);
    expect(codeOf(await answer)).to.equal('answer_timeout');
    expect(die.link).to.equal(undefined);
  });

  it('has the type that its vendor guesses by its LEDs, or is refused', async () => {
    die.identity = Buffer.from(IDENTITIES.legacy);
    die.identity[3] = 0;
    die.identity[1] = 7;
    const { body } = await connect();
    expect(body).to.include({ code: 'bad_answer' });
    die.identity[1] = 12;
    die.identity[19] = 11;
    const id = await fixture.connect(RED);
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ dice_type: 'd12', face: 12 });
  });
});
