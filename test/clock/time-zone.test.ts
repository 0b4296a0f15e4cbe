/** The offsets and their changes are those of the tz database, release 2025c. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import {
  followableOffset,
  isTimeZone,
  nextChange,
  offsetAt,
  timeZones,
  usualName,
} from '../../src/clock/time-zone.js';
import { rows } from '../support/rows.js';

const NOW = new Date('2026-07-01T12:00:00Z');

/** The zone, its offset at `NOW`, the next change and the offset after it. */
const ZONES = rows(
  4,
  `
  Europe/Berlin       | 120  | 2026-10-25T01:00:00.000Z | 60
  Europe/Dublin       | 60   | 2026-10-25T01:00:00.000Z | 0
  America/New_York    | -240 | 2026-11-01T06:00:00.000Z | -300
  America/St_Johns    | -150 | 2026-11-01T04:30:00.000Z | -210
  Australia/Adelaide  | 570  | 2026-10-03T16:30:00.000Z | 630
  Australia/Lord_Howe | 630  | 2026-10-03T15:30:00.000Z | 660
  Pacific/Chatham     | 765  | 2026-09-26T14:00:00.000Z | 825
  Asia/Kolkata        | 330  | never                    | 330
  Asia/Kathmandu      | 345  | never                    | 345
  Africa/Monrovia     | 0    | never                    | 0
  Pacific/Marquesas   | -570 | never                    | -570
  Pacific/Kiritimati  | 840  | never                    | 840
  Etc/GMT+12          | -720 | never                    | -720
  UTC                 | 0    | never                    | 0
  `,
);

describe('A time zone', () => {
  for (const [zone, offset, change, later] of ZONES) {
    it(`has its offset and its next change of offset: ${zone}`, () => {
      expect(offsetAt(zone, NOW)).to.equal(Number(offset));
      const next = nextChange(zone, NOW);
      expect(next?.toISOString() ?? 'never').to.equal(change);
      if (next === null) return;
      expect(offsetAt(zone, new Date(next.getTime() - 1))).to.equal(Number(offset));
      expect(offsetAt(zone, next)).to.equal(Number(later));
    });
  }

  it('has no next change within fewer days', () => {
    const eve = new Date('2026-10-24T00:59:59.999Z');
    expect(nextChange('Europe/Berlin', eve, 1)).to.equal(null);
    expect(nextChange('Europe/Berlin', eve, 2)).to.deep.equal(new Date('2026-10-25T01:00:00Z'));
  });

  it('changes again half a year after a change', () => {
    expect(nextChange('Europe/Berlin', new Date('2026-10-25T01:00:00Z'))).to.deep.equal(
      new Date('2027-03-28T01:00:00Z'),
    );
  });

  it('has a name of the tz database, in any case, and no offset as its name', () => {
    const names = ['Asia/Kolkata', 'Asia/Calcutta', 'europe/berlin', 'Etc/GMT-14', 'UTC'];
    expect(names.filter((name) => !isTimeZone(name))).to.deep.equal([]);
    const wrong = ['Mars/Olympus', '', '+01:00', '-0330', 'GMT+1', 'Europe/Berlin ', 'local'];
    expect(wrong.filter(isTimeZone)).to.deep.equal([]);
  });
});

describe('A time zone for a clock', () => {
  it('has an offset that a clock can store', () => {
    expect(followableOffset('Europe/Berlin', NOW)).to.deep.equal(E.right(120));
    expect(followableOffset('Australia/Lord_Howe', NOW)).to.deep.equal(E.right(630));
  });

  const refused = (zone: string): string | undefined => {
    const outcome = followableOffset(zone, NOW);
    return E.isLeft(outcome) ? outcome.left.message : undefined;
  };

  it('is refused with the nearest offsets if a clock cannot store its offset', () => {
    expect(refused('Asia/Kathmandu')).to.equal(
      'timezone must be a zone with offsets in steps of 6 minutes, got "Asia/Kathmandu" with 345: the nearest timezone_offset_minutes are 342 and 348',
    );
    expect(refused('Pacific/Chatham')).to.contain(
      'with 765: the nearest timezone_offset_minutes are 762 and 768',
    );
  });
});

/** The names that the tz database has changed, by its file `backward`; `Intl` may list the old ones. */
const RENAMED = rows(
  2,
  `
  Africa/Asmera        | Africa/Asmara
  America/Buenos_Aires | America/Argentina/Buenos_Aires
  America/Catamarca    | America/Argentina/Catamarca
  America/Coral_Harbour | America/Atikokan
  America/Cordoba      | America/Argentina/Cordoba
  America/Godthab      | America/Nuuk
  America/Indianapolis | America/Indiana/Indianapolis
  America/Jujuy        | America/Argentina/Jujuy
  America/Louisville   | America/Kentucky/Louisville
  America/Mendoza      | America/Argentina/Mendoza
  Asia/Calcutta        | Asia/Kolkata
  Asia/Rangoon         | Asia/Yangon
  Asia/Saigon          | Asia/Ho_Chi_Minh
  Atlantic/Faeroe      | Atlantic/Faroe
  Europe/Kiev          | Europe/Kyiv
  Pacific/Enderbury    | Pacific/Kanton
  Pacific/Ponape       | Pacific/Pohnpei
  Pacific/Truk         | Pacific/Chuuk
  `,
);

describe('The list of time zones', () => {
  for (const [old, present] of RENAMED)
    it(`has a renamed zone by its present name alone, and both names are known: ${present}`, () => {
      expect(timeZones()).to.include(present).and.not.include(old);
      expect([old, present].map((name) => usualName(name.toLowerCase()))).to.deep.equal([old, present]);
    });

  it('has each zone of Intl that a clock can follow, and no other', () => {
    const listed = timeZones();
    const renamed = new Map(RENAMED.map(([old, present]) => [old, present]));
    const wrong = Intl.supportedValuesOf('timeZone').filter(
      (zone) => E.isRight(followableOffset(zone, NOW)) !== listed.includes(renamed.get(zone) ?? zone),
    );
    expect(wrong).to.deep.equal([]);
    expect(listed.filter((zone, at) => listed.indexOf(zone) !== at)).to.deep.equal([]);
    expect(listed.slice(0, 2)).to.deep.equal(['UTC', 'Africa/Abidjan']);
  });
});
