import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { radioTrace } from '../../src/cli/output/radio-trace.js';

const TOKEN = '00112233445566778899aabbccddeeff';
const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');

describe('The trace of a radio', () => {
  /** A trace, its log, and the lines of the log. */
  const opened = (level = 'trace') => {
    const lines: object[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as object);
    const log = pino({ level, base: null, timestamp: false }, { write });
    return { lines, log, ...radioTrace(log) };
  };

  it('names HCI packets', () => {
    const { lines, packets } = opened();
    packets.sent(hex('010c20020100'));
    packets.received(hex('043e0c02010000'));
    packets.received(hex('0440200300010203'));
    packets.received(hex('0240200500010004001b'));
    for (const odd of ['', '01', '0102', '02', '09ff']) packets.received(hex(odd));
    expect(lines.map((line) => Reflect.get(line, 'packet') as unknown)).to.deep.equal([
      'command leSetScanEnable',
      'LE event advertising report',
      'event 64',
      'data of link 64',
      ...['packet of type 0', 'packet of type 1', 'packet of type 1', 'packet of type 2', 'packet of type 9'],
    ]);
    expect(lines[0]).to.deep.equal({
      ...{ level: 10, direction: 'sent', packet: 'command leSetScanEnable' },
      ...{ bytes: '010c20020100', msg: 'HCI' },
    });
  });

  it('masks the tokens of clocks, but only in commands with a token', () => {
    const { lines, packets, messagesOf, operation } = opened();
    packets.sent(hex(`0240001900150004001209001101${TOKEN}`));
    messagesOf('kitchen')('sent', 'WriteRequest', {
      ...{ address: 0x582d34000001n, handle: 9, response: true, data: hex(`1102${TOKEN}`) },
    });
    const clock = { address: '58:2D:34:00:00:01', characteristic: '1' };
    operation('write', { ...clock, value: hex(`1101${TOKEN}`) }, 'ok');
    operation('write', { ...clock, value: hex(`1103${TOKEN}`) }, 'gatt_failed');
    expect(lines).to.deep.equal([
      {
        ...{ level: 10, direction: 'sent', packet: 'data of link 64' },
        ...{ bytes: '0240001900150004001209001101[masked]', msg: 'HCI' },
      },
      {
        ...{ level: 10, side: 'kitchen', direction: 'sent', message: 'WriteRequest' },
        fields: { address: '58:2D:34:00:00:01', handle: 9, response: true, data: '1102[masked]' },
        msg: 'proxy',
      },
      {
        ...{ level: 10, operation: 'write', address: '58:2D:34:00:00:01', characteristic: '0001' },
        ...{ value: '1101[masked]', result: 'ok', msg: 'radio' },
      },
      {
        ...{ level: 10, operation: 'write', address: '58:2D:34:00:00:01', characteristic: '0001' },
        ...{ value: `1103${TOKEN}`, result: 'gatt_failed', msg: 'radio' },
      },
    ]);
  });

  it('masks passwords, and cuts long values', () => {
    const { lines, messagesOf } = opened();
    messagesOf('clients')('received', 'AuthenticationRequest', { $typeName: 'x', password: 'secret' });
    messagesOf('clients')('received', 'NotifyDataResponse', {
      uuid: [1n << 60n],
      data: Buffer.alloc(60_000, 1),
    });
    expect(lines.map((line) => Reflect.get(line, 'fields') as unknown)).to.deep.equal([
      { password: '[masked]' },
      { uuid: ['1000000000000000'], data: `${'01'.repeat(524)}… 60000 bytes` },
    ]);
  });

  it('formats nothing while the log shows less', () => {
    const { lines, log, packets, messagesOf, operation } = opened('debug');
    const untouchable = (): never =>
      new Proxy(Buffer.of(), {
        get: () => {
          throw new Error('it was read');
        },
      }) as never;
    packets.received(untouchable());
    messagesOf('clients')('sent', 'PingRequest', untouchable());
    operation('notify', { address: '58:2D:34:00:00:01', value: untouchable() });
    expect(lines).to.deep.equal([]);
    log.level = 'trace';
    packets.received(Buffer.of());
    expect(lines).to.have.length(1);
  });
});
