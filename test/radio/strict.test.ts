import { expect } from 'chai';
import { describe, it } from 'mocha';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { junitOf } from '../../simulators/lab/linter/junit.js';
import { pageOf } from '../../simulators/lab/linter/page.js';
import { Trace, VirtualSocket } from '../../simulators/radio/index.js';
import { otherTurns } from '../support/hci-host.js';
import { PERIPHERAL, linked, pair } from '../support/hci-scenes.js';
import { junitViolations } from '../support/junit.js';
import { play } from '../support/scenes.js';

const strict = { strict: true };
const strictPair = () => pair(strict);
const strictLink = () => linked(strict);
/** Data on the link, an L2CAP packet. */
const WHOLE = '02 40 00 05 00 01 00 04 00 0B';

const violations = ({ air }: Awaited<ReturnType<typeof pair>>): readonly string[] =>
  air.violations
    .list()
    .map(
      ({ adapter, clause, message, count }) =>
        `${adapter}: ${message} (${clause})${' again'.repeat(count - 1)}`,
    );

describe('A strict controller', () => {
  const reports = (
    title: string,
    script: string,
    expected: readonly string[],
    start: typeof strictPair = strictLink,
  ): void => {
    it(title, async () => {
      const scene = await start();
      await play(scene, script);
      expect(violations(scene)).to.deep.equal(expected);
    });
  };

  reports(
    'reports nothing about hosts that conform',
    'central writes 02 40 00 05 00 03 00 04 00 0A, 02 40 10 02 00 02 00; central disconnect',
    [],
  );

  reports(
    'reports a wrong length, an unknown command and an unknown handle',
    `central writes 01 0A 20 02 01 00; central writes 01 13 0C 00; central leReadPhy handle=0x0123 -> 0x02`,
    [
      'hci0: HCI_LE_Set_Advertising_Enable: its parameters must be 1 bytes, got 2 (Vol 4 Part E 7.8.9)',
      'hci0: opcode 0x0C13 is not among the supported commands (Vol 4 Part E 6.27)',
      'hci0: HCI_LE_Read_PHY: there is no link with Connection_Handle 0x0123 (Vol 4 Part E 7.8.47)',
    ],
  );

  reports(
    'reports a command that does not wait for the response to the last command, except Reset',
    `central writes 01 18 20 00, 01 03 0C 00; central writes 01 03 0C 00, 01 09 10 00`,
    [
      'hci0: HCI_Read_BD_ADDR was sent before the answer to the previous command (Num_HCI_Command_Packets is 1) (Vol 4 Part E 4.4)',
    ],
  );

  reports(
    'reports data beyond its buffers and drops it',
    `central writes ${Array<string>(9).fill(WHOLE).join(', ')}; 50 ms; peripheral hears 8 data 01 00 04 00 0B, nothing`,
    [
      'hci0: a data packet while all 8 buffers are in use, before Number Of Completed Packets returned one (Vol 4 Part E 4.1.1)',
    ],
    () => linked({ ...strict, latencyMs: 50 }),
  );

  reports(
    'reports data without a link, but not data on its way when the link ended',
    `central writes 02 23 01 05 00 01 00 04 00 0B; central disconnect; central writes ${WHOLE}
     central readRssi -> 0x02; 100 ms; central writes ${WHOLE}`,
    [
      'hci0: data for handle 0x0123, which no link has (Vol 4 Part E 5.4.2)',
      'hci0: data for handle 0x0040, whose link has ended (Vol 4 Part E 5.4.2)',
    ],
  );

  reports(
    'does not report data for a link that it reported and that was never established',
    `air fault type=failed_establishment device=${PERIPHERAL}; peripheral advertise
     central leCreateConnection; central hears connectionComplete; central writes ${WHOLE}`,
    [],
    strictPair,
  );

  reports(
    'reports data that is cut short, or has the flags of a controller',
    `central writes 02 40 00 06 00 01 00 04 00 0B, 02 40 20 05 00 01 00 04 00 0B, 03 40 00 01 00`,
    [
      'hci0: Data_Total_Length is 6 in a data packet of 10 bytes (Vol 4 Part E 5.4.2)',
      'hci0: boundary and broadcast flags 0b0010: a host sends 0b0000 or 0b0001 on an LE link (Vol 4 Part E 5.4.2)',
      'hci0: packet type 0x03 is not for an LE controller: no SCO, no ISO (Vol 4 Part A 2)',
    ],
  );

  reports(
    'reports fragments that do not make up a packet',
    `central writes 02 40 10 01 00 0B, 02 40 00 05 00 04 00 04 00 0B
     central writes 02 40 00 06 00 01 00 04 00 0B 0C, 02 40 00 02 00 01 00`,
    [
      'hci0: a continuation without, or beyond, its packet (Vol 3 Part A 7.2.1)',
      'hci0: a new packet while 3 bytes of the last are missing (Vol 3 Part A 7.2.1)',
      'hci0: 1 bytes more than the L2CAP packet has (Vol 3 Part A 7.2.1)',
      'hci0: a first fragment without its whole L2CAP header (Vol 3 Part A 7.2.1)',
    ],
  );

  reports(
    'does not report races: an existing link, an attempt that is over',
    'central leCreateConnection -> 0x0B; central leCreateConnectionCancel -> 0x0C',
    [],
  );

  it('counts a repeated mistake, and logs it once', async () => {
    const { air, central } = await pair(strict);
    const messages: string[] = [];
    const stop = air.violations.onNew(({ message }) => messages.push(message));
    for (let times = 0; times < 3; times++) await central.status('leReadPhy', { handle: 0x0123 });
    stop();
    await central.status('readRssi', { handle: 0x0123 });
    expect(messages).to.deep.equal(['HCI_LE_Read_PHY: there is no link with Connection_Handle 0x0123']);
    expect(air.violations.list().map(({ count }) => count)).to.deep.equal([3, 1]);
    air.reset();
    expect(air.violations.list()).to.deep.equal([]);
  });

  it('knows the first packet of a mistake, even if a hook delays the packet', async () => {
    const trace = new Trace();
    const { air, time, central } = await pair({ ...strict, trace });
    air.hooks.add('command', (passing) => void (passing.delay = 50));
    const wrong = encodeCommand('leReadPhy', { handle: 0x0123 });
    central.send(wrong);
    const number = trace.newest;
    time.advance(20);
    central.send(encodeCommand('reset', {}));
    time.advance(50);
    const [violation] = air.violations.list();
    expect(violation?.first?.number).to.equal(number);
    expect(trace.after(number - 1, 1)[0]?.body).to.deep.equal(wrong.subarray(1));
  });

  it('counts checks and violations of each rule, beyond the listed ones too', async () => {
    const { air, central } = await pair(strict);
    air.reset();
    for (let handle = 1; handle <= 501; handle++) await central.status('readRssi', { handle });
    await central.status('leReadPhy', { handle: 0x0123 });
    const verdict = (title: string) => air.violations.verdicts().find((rule) => rule.title === title);
    expect(verdict('HCI_Read_RSSI')).to.deep.include({ checked: 501, broken: 501 });
    expect(verdict('HCI_Read_RSSI')?.violations).to.have.length(500);
    expect(verdict('HCI_LE_Read_PHY')).to.deep.include({ checked: 1, broken: 1, violations: [] });
    const findings = { startedAt: 0, endedAt: 0, version: '', trace: new Trace() };
    const junit = junitOf({ ...findings, verdicts: air.violations.verdicts() });
    expect(junit).to.contain('and 1 other violation</failure>');
    expect(junitViolations(junit)).to.deep.equal([]);
    expect(pageOf({ ...findings, verdicts: air.violations.verdicts() })).to.contain(
      'and 1 other violation, too many',
    );
  });

  it('is lenient by default, and with hosts in the same process', async () => {
    const lenient = await pair();
    await lenient.central.status('leReadPhy', { handle: 0x0123 });
    expect(violations(lenient)).to.deep.equal([]);
    const both = await pair(strict);
    const socket = new VirtualSocket(both.air, { address: 'D1:CE:00:00:00:09' });
    socket.start();
    socket.write(encodeCommand('leReadPhy', { handle: 0x0123 }));
    socket.write(encodeCommand('reset', {}));
    await otherTurns();
    expect(violations(both)).to.deep.equal([]);
  });
});
