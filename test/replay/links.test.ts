/** Recordings of several links, and of unsolicited packets of a device. */
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { text } from '../support/hci-host.js';
import {
  EVENT,
  altered,
  capture,
  discovery,
  fromDevice,
  fromHost,
  linkEnded,
  linkMade,
  record,
  type Raw,
} from './captures.js';
import { replayOf } from './scene.js';

const HOUR = 60 * 60 * 1000;
const WEEK = 7 * 24 * HOUR;
const SUBSCRIBED = ['12 13 00 01 00', '13'] as const;

/** 40 bytes, notified by 0x0012. */
const LONG = `1b 12 00${' a5'.repeat(40)}`;

/** A request of the host and its answer, both at `ms`. */
const exchange = (ms: number, [request, answer]: readonly [string, string]): readonly Raw[] => [
  fromHost(ms, request),
  fromDevice(ms, answer),
];

describe('A replayed device, link by link,', () => {
  let scene: Awaited<ReturnType<typeof replayOf>>;
  const open = async (...records: readonly Raw[]): Promise<void> => {
    scene = await replayOf(capture(...records));
    await scene.connect();
  };
  const again = async (): Promise<void> => {
    await scene.disconnect();
    await scene.connect();
  };
  afterEach(() => scene.device.close());

  describe('with an MTU that it requested itself,', () => {
    const records = [
      linkMade(0),
      fromDevice(50, '02 b9 00'),
      fromHost(60, '03 05 02'),
      ...discovery(100),
      ...exchange(200, SUBSCRIBED),
      fromDevice(300, LONG),
    ];
    const subscribe = async (): Promise<void> => {
      expect(await scene.ask(SUBSCRIBED[0])).to.equal('13');
    };

    it('requests the MTU at the recorded time, and sends values that fit whole', async () => {
      await open(...records);
      expect(await scene.pass(49)).to.deep.equal([]);
      expect(await scene.pass(1)).to.deep.equal(['02 b9 00']);
      scene.send('03 05 02');
      await subscribe();
      expect(await scene.pass(100)).to.deep.equal([LONG]);
      expect(scene.warnings).to.deep.equal([]);
    });

    it('responds with the MTU to a host that requests first', async () => {
      await open(...records);
      expect(await scene.ask('02 05 02')).to.equal('03 b9 00');
      await subscribe();
      expect(await scene.pass(100)).to.deep.equal(['02 b9 00', LONG]);
    });

    it('uses a smaller MTU if the host has a smaller one', async () => {
      await open(...records);
      expect(await scene.pass(50)).to.deep.equal(['02 b9 00']);
      scene.send('03 1e 00');
      await subscribe();
      expect(await scene.pass(100)).to.deep.equal([LONG.slice(0, 2 + 29 * 3)]);
    });

    it('truncates values that do not fit if the host refuses, and reports that once for each link', async () => {
      await open(...records, fromDevice(310, LONG));
      for (const link of [1, 2]) {
        expect(await scene.pass(50)).to.deep.equal(['02 b9 00']);
        scene.send('01 02 00 00 06');
        await subscribe();
        expect(await scene.pass(110)).to.deep.equal(Array(2).fill(LONG.slice(0, 2 + 22 * 3)));
        expect(scene.warnings).to.deep.equal(
          Array(link).fill(
            "values of 0x0012 are truncated: 40 bytes, of which the link's MTU of 23 has room for 20; " +
              'ask for an MTU of 43',
          ),
        );
        await again();
      }
    });
  });

  it('agrees to the MTU that its packets needed, if the capture has no exchange of MTUs', async () => {
    await open(linkMade(0), ...discovery(100), ...exchange(200, SUBSCRIBED), fromDevice(300, LONG));
    expect(await scene.ask('02 05 02')).to.equal('03 2b 00');
  });

  it('plays the links in order, wherever writes have moved', async () => {
    await open(
      ...[1, 2, 3].flatMap((link) => [
        linkMade(link * 1000),
        ...(link === 1 ? discovery(link * 1000) : []),
        ...exchange(link * 1000 + 1, ['0a 15 00', `0b 0${link}`]),
        ...exchange(link * 1000 + 2, [`12 17 00 0${link}`, '13']),
        linkEnded(link * 1000 + 3),
      ]),
    );
    for (const link of [1, 2, 3, 1, 2]) {
      expect(await scene.ask('0a 15 00')).to.equal(`0b 0${link}`);
      expect(await scene.ask('12 17 00 03')).to.equal('13');
      await again();
    }
  });

  describe('with notifications and no subscription', () => {
    const VALUE = '1b 12 00 00 48';

    it('notifies at the same time after the beginning of the link', async () => {
      await open(linkMade(0), ...discovery(100), fromDevice(1500, VALUE), fromDevice(1700, VALUE));
      expect(await scene.pass(1499)).to.deep.equal([]);
      expect(await scene.pass(1)).to.deep.equal([VALUE]);
      expect(await scene.pass(200)).to.deep.equal([VALUE]);
    });

    it('notifies at the same time after the write before', async () => {
      const write = exchange(1000, ['12 17 00 01', '13']);
      await open(linkMade(0), ...discovery(100), ...write, fromDevice(1040, VALUE));
      await scene.pass(5000);
      expect(await scene.ask('12 17 00 01')).to.equal('13');
      expect(await scene.pass(39)).to.deep.equal([]);
      expect(await scene.pass(1)).to.deep.equal([VALUE]);
    });

    it('notifies on a second link whose host relied on the subscription of the first', async () => {
      await open(
        ...[linkMade(0), ...discovery(100), ...exchange(200, SUBSCRIBED), linkEnded(300)],
        ...[linkMade(1000), fromDevice(1100, VALUE)],
      );
      expect(await scene.pass(1000)).to.deep.equal([]);
      await again();
      expect(await scene.pass(100)).to.deep.equal([VALUE]);
    });

    it('sends nothing to a host that has switched notifications off', async () => {
      await open(linkMade(0), ...discovery(100), fromDevice(1500, VALUE));
      expect(await scene.ask('12 13 00 00 00')).to.equal('13');
      expect(await scene.pass(2000)).to.deep.equal([]);
    });
  });

  describe('with other attributes on another link,', () => {
    const link = (ms: number, discovered: readonly Raw[], value: string): readonly Raw[] => [
      linkMade(ms),
      ...discovered,
      ...exchange(ms + 500, ['0a 15 00', value]),
      linkEnded(ms + 600),
    ];

    it('has the attributes of each link, and reports the differences', async () => {
      await open(
        ...link(0, discovery(100), '0b 01'),
        ...link(1000, altered(discovery(1100), '15 00 38 2a', '15 00 3a 2a'), '0b 02'),
        ...link(2000, discovery(2100), '0b 03'),
      );
      expect(scene.recording.warnings.slice(1)).to.deep.equal([
        'link 2 of 3 (record 16) has other attributes than the one before: 0x0014 is 2803 0215003A2A, ' +
          'was 2803 021500382A, and 1 more; each is played with its own',
        'link 3 of 3 (record 31) has other attributes than the one before: 0x0014 is 2803 021500382A, ' +
          'was 2803 0215003A2A, and 1 more; each is played with its own',
      ]);
      for (const [type, value] of [
        ['38', '01'],
        ['3a', '02'],
        ['38', '03'],
      ]) {
        expect(await scene.ask('04 15 00 15 00')).to.equal(`05 01 15 00 ${type} 2a`);
        expect(await scene.ask('0a 15 00')).to.equal(`0b ${value}`);
        await again();
      }
    });

    it('has a service on one link alone, if both were searched to their end', async () => {
      const fewer = [
        ...exchange(1100, ['10 01 00 ff ff 00 28', '11 06 01 00 05 00 00 18']),
        ...exchange(1200, ['10 06 00 ff ff 00 28', '01 10 06 00 0a']),
        ...exchange(1300, ['08 01 00 05 00 03 28', '09 07 02 00 02 03 00 00 2a']),
      ];
      await open(...link(0, discovery(100), '0b 01'), ...link(1000, fewer, '0b 02'));
      expect(scene.recording.warnings[1]).to.contain(
        'link 2 of 2 (record 16) has other attributes than the one before: ' +
          '0x0010 is nothing, was service 180D up to 0x0017',
      );
      expect(await scene.ask('06 01 00 ff ff 00 28 0d 18')).to.equal('07 10 00 17 00');
      await again();
      expect(await scene.ask('06 01 00 ff ff 00 28 0d 18')).to.equal('01 06 01 00 0a');
    });

    it('has the same attributes on a link where fewer were discovered', async () => {
      await open(...link(0, discovery(100), '0b 01'), ...link(1000, [], '0b 02'));
      expect(scene.recording.warnings).to.have.length(1);
      await again();
      expect(await scene.ask('04 15 00 15 00')).to.equal('05 01 15 00 38 2a');
      expect(await scene.ask('0a 15 00')).to.equal('0b 02');
    });
  });

  describe('recorded while the clock was set,', () => {
    const values = ['1b 12 00 00 48', '1b 12 00 00 49'] as const;

    it('waits an hour at most, and later for the recorded times', async () => {
      const later = 5 * WEEK;
      await open(
        ...[linkMade(0), ...discovery(100), ...exchange(200, SUBSCRIBED)],
        ...[fromDevice(later, values[0]), fromDevice(later + 500, values[1])],
      );
      await scene.ask(SUBSCRIBED[0]);
      expect(await scene.pass(HOUR - 1)).to.deep.equal([]);
      expect(await scene.pass(1)).to.deep.equal([values[0]]);
      expect(await scene.pass(500)).to.deep.equal([values[1]]);
    });

    it('does not wait where the clock went back', async () => {
      const before = -5 * WEEK;
      await open(
        ...[linkMade(0), ...discovery(100), ...exchange(200, SUBSCRIBED)],
        ...[fromDevice(before, values[0]), fromDevice(before + 500, values[1])],
      );
      await scene.ask(SUBSCRIBED[0]);
      expect(await scene.pass(1)).to.deep.equal([values[0]]);
      expect(await scene.pass(499)).to.deep.equal([values[1]]);
    });

    it('changes its advertisement within an hour', async () => {
      const report = (ms: number, flags: string): Raw =>
        record(ms, EVENT, `3e 0f 02 01 00 01 01 00 00 ee ff c0 03 02 01 ${flags} c4`);
      await open(report(0, '06'), report(5 * WEEK, '04'), report(0, '05'), linkMade(1), ...discovery(2));
      expect(scene.recording.advertising.payloads.map(({ lasts }) => lasts)).to.deep.equal([HOUR, 0, 1000]);
    });
  });

  it('sends a thousand notifications in order, with no more than a hundred timers at a time', async () => {
    const many = Array.from({ length: 1000 }, (_value, index) =>
      fromDevice(1000 + index, `1b 12 00 ${index.toString(16).padStart(4, '0').replace(/^../, '$& ')}`),
    );
    await open(linkMade(0), ...discovery(100), ...exchange(1000, SUBSCRIBED), ...many);
    const before = scene.time.pending;
    await scene.ask(SUBSCRIBED[0]);
    expect(scene.time.pending - before).to.be.at.most(100);
    const received: string[] = [];
    for (let times = 0; times < 100; times += 1) received.push(...(await scene.pass(10)));
    expect(received).to.deep.equal(many.map(({ data }) => text(data.subarray(8))));
  });
});
