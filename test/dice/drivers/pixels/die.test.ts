import { expect } from 'chai';
import { PROFILES } from '../../../../src/protocols/pixels/index.js';
import { codeOf, eachFixture, LIMITS, RED, type DiceFixture } from '../../../support/dice-fixture.js';
import { request } from '../../../support/client.js';
import { FakePixels, IDENTITIES } from './fake-pixels.js';

const WHO_ARE_YOU = '01';
const ORANGE_FOR_LONG = '1D01FFFF0080FF00FFFFFFFF0001';

for (const profile of PROFILES) {
  describe(`A Pixels die of the ${profile} profile`, () => {
    let fixture: DiceFixture;
    let die: FakePixels;
    eachFixture((started) => (fixture = started));
    beforeEach(() => {
      die = fixture.radio.put(new FakePixels(RED, fixture.radio, profile));
    });

    it('is found, with all that it advertises if that is asked for', async () => {
      const scan = async (query: string): Promise<unknown> => {
        const answer = request(fixture.server.port, `/api/scan${query}`, { method: 'POST' });
        await fixture.radio.heeded;
        fixture.radio.advertise(die);
        await fixture.time.pass(LIMITS.scan);
        return (await answer).body;
      };
      const found = { address: RED, name: 'Pixel12345678', rssi: -60 };
      expect(await scan('')).to.deep.equal([found]);
      expect(await scan('?detail=full')).to.deep.equal([
        {
          ...{ ...found, maker: 'Pixels', dice_type: 'd20', color: 'midnight_galaxy', battery_level: 80 },
          ...{ charging: false, rolling: false, face: 20 },
        },
      ]);
    });

    it('sends its identity', async () => {
      const id = await fixture.connect(RED);
      expect(die.takeWritten()).to.deep.equal([WHO_ARE_YOU]);
      const status = {
        ...{ session_id: id, address: RED, name: 'Pixel12345678', dice_type: 'd20', connected: true },
        ...{
          battery_level: 80,
          color: 'midnight_galaxy',
          charging: false,
          rssi: -60,
          rolling: false,
          face: 20,
        },
      };
      expect((await fixture.get(`/api/status/${id}`)).body).to.deep.equal(status);
      const detailed = {
        ...status,
        ...{ maker: 'Pixels', capabilities: ['led1', 'pulse'], leds: null, taps: null },
      };
      expect((await fixture.get(`/api/status/${id}?detail=full`)).body).to.deep.equal(detailed);
      expect((await fixture.get('/api/sessions')).body).to.deep.equal([detailed]);
    });

    it('rolls, and reports its battery once for each change', async () => {
      await fixture.connect(RED);
      const client = await fixture.listen();
      die.say(
        '030203',
        '030307',
        '030309',
        '03010B',
        '03050B',
        '225000',
        '224C02',
        '224C02',
        '224C03',
        '224B03',
      );
      const stable = { kind: 'Stable', face: 12, acceleration: null };
      for (const event of [
        ...[{ kind: 'RollStart' }, stable, { kind: 'BatteryLevel', level: 76 }],
        ...[
          { kind: 'Charging', charging: true },
          { kind: 'BatteryLevel', level: 75 },
        ],
      ]) {
        expect(await client.next()).to.deep.equal(event);
      }
    });
  });
}

describe('A Pixels die', () => {
  let fixture: DiceFixture;
  let die: FakePixels;
  eachFixture((started) => (fixture = started));
  beforeEach(() => {
    die = fixture.radio.put(new FakePixels(RED, fixture.radio));
  });

  const connect = (dice_type?: string): ReturnType<DiceFixture['post']> =>
    fixture.post('/api/connect', { address: RED, ...(dice_type && { dice_type }) });

  it('is known by its scan response alone, nameless, and is no GoDice then', async () => {
    fixture.radio.advertise(die, { name: null, manufacturerData: null });
    const connecting = fixture.connect(RED);
    await fixture.time.pass(LIMITS.scan);
    const id = await connecting;
    expect((await fixture.get(`/api/status/${id}?detail=full`)).body).to.include({ maker: 'Pixels' });
  });

  describe('with a type from a client', () => {
    it('is connected if that is right', async () => {
      expect((await connect('d20')).status).to.equal(200);
      expect((await connect('d20')).status).to.equal(200);
    });

    it('is refused if that is wrong, and nothing is left', async () => {
      expect(await connect('d6')).to.deep.include({ status: 400 });
      const { body } = await connect('d6');
      expect(body).to.include({
        error: "dice_type must be d20, the die's own type, or left out, got d6",
        code: 'wrong_dice_type',
      });
      expect((await fixture.get('/api/sessions')).body).to.deep.equal([]);
      expect(die.link).to.equal(undefined);
    });

    it('keeps its session if that is wrong', async () => {
      const id = await fixture.connect(RED);
      expect(codeOf(await connect('d6'))).to.equal('wrong_dice_type');
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ connected: true, dice_type: 'd20' });
    });

    it('is connected for the other clients that wait for it', async () => {
      die.holdConnect = true;
      const answers = [connect('d6'), connect(), connect('d20'), connect('d8')];
      await fixture.radio.until(() => die.connects > 0);
      await fixture.get('/api/sessions');
      die.release();
      expect((await Promise.all(answers)).map(({ status }) => status)).to.deep.equal([400, 200, 200, 400]);
    });
  });

  describe('once connected', () => {
    let id: string;
    beforeEach(async () => {
      id = await fixture.connect(RED);
      die.takeWritten();
    });

    it('has all its LEDs in led1', async () => {
      const { status, body } = await fixture.post('/api/led', { session_id: id, led1: '#ff8000' });
      expect([status, body]).to.deep.equal([200, { session_id: id, led1: 'FF8000', led2: '000000' }]);
      expect(die.takeWritten()).to.deep.equal([ORANGE_FOR_LONG]);
    });

    it('pulses', async () => {
      const pulse = { session_id: id, count: 1, on_ms: 500, off_ms: 500, color: 'FF0000' };
      const { status, body } = await fixture.post('/api/pulse', pulse);
      expect([status, body]).to.deep.equal([200, { ...pulse, leds: 'both' }]);
      expect(die.takeWritten()).to.deep.equal(['1D01E8030000FF00FFFFFFFF0001']);
    });

    const refusals: readonly (readonly [string, object, string])[] = [
      ['led', { led2: 'FF0000' }, 'led2 is not possible: no Pixels die can do it'],
      [
        'pulse',
        { count: 1, on_ms: 10, off_ms: 10, color: 'FF0000', leds: 'led2' },
        'led2 is not possible: no Pixels die can do it',
      ],
      ['taps', { single: true }, 'taps is not possible: no Pixels die can do it'],
      ['calibrate', {}, 'calibrate is not needed: Pixels dice measure their faces themselves'],
    ];
    for (const [path, body, error] of refusals) {
      it(`refuses ${path} ${JSON.stringify(body)}`, async () => {
        const answer = await fixture.post(`/api/${path}`, { session_id: id, ...body });
        expect(answer.status).to.equal(400);
        expect(answer.body).to.include({ error, code: 'not_supported' });
        expect(die.takeWritten()).to.deep.equal([]);
      });
    }

    it('is asked for its battery, and the answer is an event if it is news', async () => {
      const client = await fixture.listen();
      expect((await fixture.get(`/api/battery/${id}`)).body).to.deep.equal({
        ...{ session_id: id, battery_level: 76 },
      });
      expect(die.takeWritten()).to.deep.equal(['21']);
      expect(await client.next()).to.deep.equal({ kind: 'BatteryLevel', level: 76 });
      expect(await client.next()).to.deep.equal({ kind: 'Charging', charging: true });
    });

    it('is reported if it does not answer, and stays connected', async () => {
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

    it('is lit again after a loss, and reports the roll that nobody saw', async () => {
      await fixture.post('/api/led', { session_id: id, led1: '#ff8000' });
      die.takeWritten();
      const client = await fixture.listen();
      die.identity = Buffer.from(IDENTITIES.legacy);
      die.identity[19] = 4;
      die.lose();
      fixture.radio.advertise(die);
      expect(await client.next()).to.deep.equal({ kind: 'Disconnected' });
      expect(await client.next()).to.deep.equal({ kind: 'Reconnected' });
      expect(await client.next()).to.deep.equal({ kind: 'Stable', face: 5, acceleration: null });
      expect(die.takeWritten()).to.deep.equal([WHO_ARE_YOU, ORANGE_FOR_LONG]);
    });
  });

  for (const [advertised, changes] of [
    ['all that it has', {}],
    ['its scan response alone', { manufacturerData: null, name: null }],
  ] as const) {
    it(`is back after an update of its firmware to another profile, if it advertises ${advertised}`, async () => {
      const id = await fixture.connect(RED);
      const client = await fixture.listen();
      die.lose();
      die.update('current');
      fixture.radio.advertise(die, changes);
      expect(await client.next()).to.deep.equal({ kind: 'Disconnected' });
      expect(await client.next()).to.deep.equal({ kind: 'Reconnected' });
      expect((await fixture.get(`/api/status/${id}`)).body).to.include({ connected: true, face: 20 });
    });
  }

  it('is back if it advertises nothing after a loss by which it is known', async () => {
    const id = await fixture.connect(RED);
    const client = await fixture.listen();
    die.lose();
    fixture.radio.advertise(die, { name: null, manufacturerData: null, serviceUuids: [], serviceData: [] });
    expect(await client.next()).to.deep.equal({ kind: 'Disconnected' });
    expect(await client.next()).to.deep.equal({ kind: 'Reconnected' });
    expect((await fixture.get(`/api/status/${id}`)).body).to.include({ connected: true, face: 20 });
  });

  const losses = [
    { said: ['030307'], name: 'rolls on', events: ['Disconnected', 'Reconnected', 'Stable'] },
    {
      said: [],
      name: 'rolls when it is back',
      events: ['Disconnected', 'Reconnected', 'RollStart', 'Stable'],
    },
  ];
  for (const { said, name, events } of losses) {
    it(`begins one roll if it ${name} after a loss of its link`, async () => {
      await fixture.connect(RED);
      die.say(...said);
      const client = await fixture.listen();
      die.identity = Buffer.from(IDENTITIES.legacy);
      die.identity[18] = 3;
      die.lose();
      fixture.radio.advertise(die);
      die.early = [];
      const kinds: unknown[] = [];
      while (kinds.length < 2) kinds.push(((await client.next()) as { readonly kind: string }).kind);
      await fixture.radio.until(() => die.link !== undefined);
      die.say('03010B');
      while (kinds.length < events.length)
        kinds.push(((await client.next()) as { readonly kind: string }).kind);
      expect(kinds).to.deep.equal(events);
    });
  }

  it('loses no roll that comes before its identity', async () => {
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
