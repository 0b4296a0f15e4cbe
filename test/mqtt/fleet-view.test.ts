import { expect } from 'chai';
import { fleetView, matching } from '../../src/cli/servers/fleet-view.js';
import { topicsOf } from '../../src/contract/topics.js';
import { MOST_SEEN, MOST_SERVERS } from '../../src/mqtt/bounded.js';
import { SeenKind, type FleetReport } from '../../src/mqtt/observer.js';
import { addressOf } from '../fleet/servers.js';
import { manualTime } from '../support/manual-time.js';

const WIDE = { columns: Infinity, rows: Infinity, ofServers: false };
const DIE = 'D1:CE:00:00:00:01';
const OTHER = 'D1:CE:00:00:00:02';

const report: FleetReport = {
  servers: [
    { kind: 'dice', name: 'hall', status: 'online' },
    { kind: 'dice', name: 'attic', status: 'offline' },
    { kind: 'clock', name: 'hall', status: 'online' },
  ],
  devices: [
    {
      ...{ kind: 'dice', address: DIE, label: 'Red', server: 'hall', availability: 'online' },
      heard: ['hall', 'attic', 'cellar', 'garden'].map((server, index) => ({ server, rssi: -40 - index })),
    },
    { kind: 'dice', address: OTHER, label: null, server: null, availability: 'offline', heard: [] },
  ],
  fits: true,
};

describe('The view of a fleet', () => {
  it('has a line for each device, and the servers that hear it, the best first', () => {
    expect(fleetView(report, WIDE)).to.deep.equal([
      '3 servers, 2 online; 2 devices',
      '',
      'DEVICE                 KIND  SERVER  AVAILABILITY  HEARD BY, dBm',
      `${DIE} Red  dice  hall    online        hall -40, attic -41, cellar -42, garden -43`,
      `${OTHER}      dice  -       offline`,
    ]);
  });

  it('has a device that two servers have under both, and counts it once', () => {
    const [first] = report.devices;
    const devices = ['attic', 'hall'].flatMap((server) =>
      first === undefined ? [] : [{ ...first, server }],
    );
    const both = { ...report, devices };
    const [summary, , , ...lines] = fleetView(both, WIDE);
    expect(summary).to.equal('3 servers, 2 online; 1 device');
    expect(lines.map((line) => line.split(/ {2,}/)[2])).to.deep.equal(['attic', 'hall']);
    const ofServers = fleetView(both, { ...WIDE, ofServers: true }).slice(3);
    expect(ofServers.map((line) => line.split(/ {2,}/).slice(-2))).to.deep.equal([
      ['1', '1'],
      ['1', '1'],
      ['0', '0'],
    ]);
  });

  it('counts the servers that do not fit', () => {
    const [, , , line = ''] = fleetView(report, { ...WIDE, columns: 81 });
    expect(line).to.match(/hall -40, attic -41 and 2 more$/);
    expect(line.length).to.be.at.most(81);
  });

  it('cuts lines that remain wider than the terminal', () => {
    for (const line of fleetView(report, { ...WIDE, columns: 30 })) expect(line.length).to.be.at.most(30);
  });

  it('counts the devices that do not fit', () => {
    const unheard = { kind: 'dice', label: null, server: null, availability: 'offline', heard: [] };
    const devices = Array.from({ length: 30 }, (_, index) => ({
      ...{ ...unheard, address: `D1:CE:00:00:00:${index + 10}` },
    }));
    const many = { servers: [], devices, fits: true };
    const lines = fleetView(many, { ...WIDE, rows: 12 });
    expect(lines).to.have.length(11);
    expect(lines.at(-1)).to.equal('… and 23 more: --match TEXT shows some of them');
    expect(fleetView(many, { ...WIDE, rows: 34 })).to.have.length(33);
  });

  it('has a line for each server, with how many devices it has and hears', () => {
    expect(fleetView(report, { ...WIDE, ofServers: true })).to.deep.equal([
      '3 servers, 2 online; 2 devices',
      '',
      'SERVER  KIND   STATUS   HAS  HEARS',
      'hall    dice   online   1    1',
      'attic   dice   offline  0    1',
      'hall    clock  online   0    0',
    ]);
  });

  for (const [text, addresses] of [
    ['00:02', [OTHER]],
    ['GARDEN', [DIE]],
    ['red', [DIE]],
    ['offline', [OTHER]],
    ['dice', [DIE, OTHER]],
    ['nowhere', []],
  ] as const) {
    it(`shows the devices that match ${text}`, () => {
      expect(matching(report, text).devices.map(({ address }) => address)).to.deep.equal(addresses);
    });
  }

  it('escapes characters in names that would move the cursor or reverse the text', () => {
    const named = (name: string): FleetReport => ({
      servers: [{ kind: 'dice', name, status: 'online' }],
      devices: [
        {
          ...{ kind: 'dice', address: DIE, label: name, server: name, availability: 'online' },
          heard: [{ server: name, rssi: -48 }],
        },
      ],
      fits: true,
    });
    for (const ofServers of [true, false]) {
      const text = fleetView(named('one\u001b[2J\u202e'), { ...WIDE, ofServers }).join('\n');
      expect(text).to.include('one\\u001b[2J\\u202e').and.not.to.include('\u202e');
    }
  });
});

describe('The servers and devices of one kind that an observer has seen', () => {
  const topics = topicsOf('airbench', 'dice', '');

  for (const [what, most, see] of [
    [
      ...(['servers', MOST_SERVERS] as const),
      (seen: SeenKind, index: number) => {
        const status = { status: 'online', name: `server-${index}`, run: '1', version: '1.0.0' };
        seen.receive(topics.serverOf(status.name), Buffer.from(JSON.stringify(status)));
      },
    ],
    [
      ...(['devices', MOST_SEEN] as const),
      (seen: SeenKind, index: number) =>
        seen.receive(
          topicsOf('airbench', 'dice', 'one').availability(addressOf(index)),
          Buffer.from('online'),
        ),
    ],
  ] as const)
    it(`are whole up to ${most} ${what}, and not with one more`, () => {
      const seen = new SeenKind('dice', 'airbench', manualTime());
      for (let index = 0; index < most; index += 1) see(seen, index);
      see(seen, 0);
      expect([seen.report()[what].length, seen.report().fits]).to.deep.equal([most, true]);
      see(seen, most);
      expect([seen.report()[what].length, seen.report().fits]).to.deep.equal([most, false]);
    });
});
