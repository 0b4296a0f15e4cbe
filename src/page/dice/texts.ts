import type { Quantity, Refusal, Unsupported } from './notation.js';

const outSince = (since: string | null): string =>
  since === null ? 'Out of range.' : `Out of range since ${since}.`;

/** A probability in words, such as `31 of 100`. */
const shareOf = (p: number): string => {
  if (p >= 0.01) return `${Math.round(100 * p)} of 100`;
  return p < 0.0001 ? 'fewer than 1 of 10,000' : `1 of ${Math.round(1 / p)}`;
};

/** A feature of other programs, and the alternative. */
const UNSUPPORTED: Readonly<Record<Unsupported, readonly [string, string]>> = {
  exploding: ['exploding dice', 'a sum has a fixed number of dice'],
  rerolls: ['a reroll', 'each die counts as it lands'],
  comparison: ['a comparison', 'a sum adds faces, it counts no successes'],
  limit: ['a least or greatest face', 'each face counts as it is'],
  sorting: ['sorting', 'leave it out'],
  dropOfValue: ['a drop by value', 'dl drops the lowest dice, dh the highest'],
  keepAndMore: ['a keep with other modifiers', 'only drops combine, such as 3d20dldh'],
  command: ['a command', 'write only the formula, such as 2d6+3'],
  lookup: ['a value from elsewhere', 'write the number'],
  group: ['a group', 'keep and drop need dice of one kind, such as 4d6kh3'],
  parenthesis: ['parentheses', 'write each term with its own sign'],
  arithmetic: ['multiplication, division', 'a sum only adds and subtracts'],
  inlineRoll: ['a roll in a formula', 'write its dice into the formula'],
};

const QUANTITIES: Readonly<Record<Quantity, string>> = {
  dice: 'the number of dice',
  keep: 'the number of dice to keep',
  drop: 'the number of dice to drop',
  number: 'a number',
};

const refused = (refusal: Refusal): string => {
  switch (refusal._tag) {
    case 'NoDice':
      return 'A sum needs dice, such as 2d6+3.';
    case 'NoSuchDie':
      return `There is no ${refusal.part}: dice are d4, d6, d8, d10, d12, d20, d100 (or d%), and dF.`;
    case 'NoSingleD20':
      return `“${refusal.part}” needs one d20, such as d20+5 adv.`;
    case 'OutOfRange': {
      const { part, quantity, least, most } = refusal;
      return `“${part}”: ${QUANTITIES[quantity]} must be ${least === most ? least : `${least} to ${most}`}.`;
    }
    case 'Unsupported': {
      const [feature, instead] = UNSUPPORTED[refusal.feature];
      return `“${refusal.part}” (${feature}) is not supported: ${instead}.`;
    }
    case 'Unknown':
      return `“${refusal.part}” is not understood. Write dice and numbers with + or − between them, such as 2d6+3, and notes after #.`;
  }
};

export const texts = {
  title: 'Dice',
  scan: 'Look for dice',
  scanning: 'Looking for dice…',
  empty: 'No die is connected. Wake one by moving it, then look for it.',
  nothingFound: 'No die was found. Wake one by moving it, then look again. Is it charged and in range?',
  nothingElseFound: 'No other die was found. Wake one by moving it, then look again.',
  shell: 'Shell',
  away: (since: string | null, until: string | null) =>
    `${outSince(since)} ${until === null ? 'The server connects it when it is back.' : `The server looks for it until ${until}.`}`,
  gone: (since: string) => `Gone since ${since}`,
  rests: (last: string) => `Last heard ${last}`,
  roll: 'Roll',
  rollAll: 'Roll all',
  rolling: 'rolling',
  notLanded: 'The die has not landed: roll it again.',
  noFace: 'The upper face is not known yet: move the die.',
  taps: { Tap: 'Tap', DoubleTap: 'Double tap' },
  tapsTitle: 'Taps',
  tapsOf: { single: 'Single taps', double: 'Double taps' },
  leds: 'LEDs',
  ledColour: 'Colour of the LEDs',
  led1: 'Colour of LED 1',
  led2: 'Colour of LED 2',
  ledsOff: 'Off',
  notSet: '(not set yet)',
  pulse: 'Pulse',
  calibrate: 'Calibrate…',
  calibrateTitle: (name: string) => `Calibrate ${name}`,
  calibrateSteps: [
    'Lay the die on a level table, on any face.',
    'Take your hands off and wait until it lies still.',
    'Begin. If the die moves, the server waits until it lies still.',
  ],
  calibrateNow: 'Begin',
  calibrating: 'Measuring…',
  calibrated: (face: string) =>
    `Done: ${face} is up. The server measures the die this way until it is disconnected.`,
  readBattery: 'Read battery',
  charging: 'charging',
  level: (percent: number) => `${percent} %`,
  batteryAt: (percent: number) => `battery ${percent}\u00a0%`,
  up: (face: string) => `${face} is up`,
  body: (color: string) => color.replaceAll('_', ' '),
  low: 'low',
  settings: 'Settings',
  settingsOf: (name: string) => `Settings of ${name}`,
  address: 'Address',
  made: 'Die',
  noType: 'unknown type',
  /** Null: the rolls are not counted yet. */
  forgotten: (rolls: number | null) =>
    `The server deletes its name, its settings and its rolls${rolls === null ? '' : ` (${rolls.toLocaleString()})`}.`,
  view: 'View',
  views: { cards: 'Cards', table: 'Table' },
  face: 'Face',
  die: 'Die',
  lastRolls: 'Last rolls',
  totalOf: 'Total',
  ofDice: (some: number, all: number) => `of ${some} of ${all} dice`,
  inSums: 'Counts in sums',
  rolls: 'Rolls',
  noRolls: 'Roll a die.',
  announce: (name: string, face: string) => `${name} rolled ${face}`,
  rolled: (count: number) => (count === 1 ? '1 roll' : `${count.toLocaleString()} rolls`),
  counted: (count: number) => (count === 1 ? 'once' : `${count} times`),
  histograms: 'Fairness',
  fair: (p: number) => `Looks fair: ${shareOf(p)} fair dice are at least as uneven.`,
  suspicious: (p: number) => `Suspicious: ${shareOf(p)} fair dice are as uneven.`,
  tooFew: (more: number) => `Too few rolls to judge: ${more} more are needed.`,
  chiSquared: (chiSquare: number, df: number, p: number | null) =>
    `χ² ${chiSquare.toFixed(1)}, df ${df}${p === null ? '' : `, p ${p < 0.001 ? 'below 0.001' : p.toFixed(3)}`}`,
  mean: (mean: number) => `mean ${mean.toFixed(2)}`,
  longestRun: (length: number) => `longest run ${length}`,
  show: 'Show',
  groupings: { evening: 'An evening', day: 'A day', all: 'All rolls' },
  earlier: 'Earlier',
  later: 'Later',
  noHistory: (problem: string | null) =>
    `The server keeps no rolls${problem === null ? '' : ` (${problem})`}. Shown are those of the last ten minutes, and later ones while the page is open.`,
  save: { csv: 'Save CSV', ndjson: 'Save NDJSON' },
  sum: 'Sum',
  expression: 'Formula',
  sumNow: 'Start',
  sumEnd: 'End',
  sumHelp:
    'Such as 2d6+3, 4d6kh3 or 4d6dl1 (the highest three), d20+5 adv or dis (advantage, disadvantage), d100 (tens and units), 4dF (fudge dice).',
  refused,
  noTotal: '–',
  total: (sum: number) => String(sum).replace('-', '−'),
  summed: 'The next roll begins another throw.',
  stillToRoll: (missing: readonly { readonly type: string; readonly count: number }[]) =>
    `Still to roll: ${missing.map(({ type, count }) => `${count} × ${type}`).join(', ')}`,
  done: 'Close',
} as const;
