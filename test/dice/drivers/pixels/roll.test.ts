import { expect } from 'chai';
import { rows } from '../../../support/rows.js';
import type { RollState } from '../../../../src/protocols/pixels/index.js';
import { reportOf, postureIn, type Posture } from '../../../../src/dice/drivers/pixels/roll.js';

/** The reports of a d20 for a sequence of states with indexes of faces; `=` marks reports that make no event. */
const reportsOf = (sequence: string): readonly string[] => {
  const die = { dieType: 'd20', ledCount: 20, builtAt: new Date('2024-11-07T13:05:00Z') } as const;
  let before: Posture | null = null;
  return sequence.split(' ').flatMap((step) => {
    const [state, index] = step.split(':');
    const now = postureIn(die, { state: state as RollState, faceIndex: Number(index) });
    const received = now === null ? null : reportOf(before, now);
    before = now ?? before;
    if (received === null) return [];
    const { report, makesEvent } = received;
    return [`${makesEvent ? '' : '='}${report._tag}${'face' in report ? ` ${report.face}` : ''}`];
  });
};

describe('The rolls of a Pixels die', () => {
  for (const [name, sequence, reports] of rows(
    3,
    `
    firmware since 2024-11-07: a roll              | onFace:3 handling:3 rolling:3 rolling:7 rolled:11 onFace:11 | =Stable 4, RollStart, Stable 12
    a roll without handling                        | onFace:3 rolling:7 rolled:11                                | =Stable 4, RollStart, Stable 12
    firmware until 2024-10-11: a roll              | rolled:3 handling:3 rolling:7 rolled:3                      | =Stable 4, RollStart, Stable 4
    firmware until 2024-10-11: lifted and put back | rolled:3 handling:3 rolled:3                                | =Stable 4, MoveStable 4
    turned in hand                                 | onFace:3 handling:3 handling:5 onFace:5                     | =Stable 4, MoveStable 6
    turned without handling                        | onFace:3 onFace:5                                           | =Stable 4, MoveStable 6
    caught while it rolls                          | onFace:3 rolling:4 handling:4 onFace:6                      | =Stable 4, RollStart, MoveStable 7
    rolled against something                       | onFace:3 rolling:4 crooked:4                                | =Stable 4, RollStart, TiltStable 5
    leaned twice without a roll                    | onFace:3 crooked:4 crooked:4 crooked:5                      | =Stable 4, MoveStable 5, MoveStable 6
    leaned in a hand, and put back                 | onFace:3 handling:3 crooked:3 handling:3 onFace:3           | =Stable 4, MoveStable 4, MoveStable 4
    caught while it rolls, and leaned              | onFace:3 rolling:4 handling:4 crooked:5                     | =Stable 4, RollStart, MoveStable 6
    rolled against something, and put flat         | onFace:3 rolling:4 crooked:4 onFace:4                       | =Stable 4, RollStart, TiltStable 5, MoveStable 5
    upright again                                  | crooked:3 onFace:3                                          | =TiltStable 4, MoveStable 4
    connected while it rolls                        | rolling:3 rolled:3                                          | =RollStart, Stable 4
    connected in a hand                             | handling:3 rolling:4 rolled:0                               | RollStart, Stable 1
    just woken                                     | unknown:0 onFace:2                                          | MoveStable 3
    two rolls                                      | onFace:0 rolling:1 rolled:2 rolling:3 rolled:2              | =Stable 1, RollStart, Stable 3, RollStart, Stable 3
    a face that it does not have                   | onFace:3 rolling:20 rolling:4 rolled:20                     | =Stable 4, RollStart
    `,
  ))
    it(name, () => expect(reportsOf(sequence).join(', ')).to.equal(reports));

  const mended = '2024-05-22T13:00:00Z';
  const crooked = [
    { ledCount: 6, builtAt: '2024-05-22T12:59:59Z', state: 'rolled' },
    { ledCount: 6, builtAt: mended, state: 'crooked' },
    { ledCount: 20, builtAt: '2024-02-06T00:00:00Z', state: 'crooked' },
  ] as const;
  for (const { ledCount, builtAt, state } of crooked) {
    it(`read crooked of ${ledCount} LEDs and a build of ${builtAt} as ${state}`, () => {
      const die = { dieType: ledCount === 6 ? 'd6' : 'd20', ledCount, builtAt: new Date(builtAt) } as const;
      expect(postureIn(die, { state: 'crooked', faceIndex: 2 })).to.deep.equal({ state, face: 3 });
    });
  }
});
