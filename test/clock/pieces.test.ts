import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import {
  openPieces,
  type Piece,
  type Pieces,
  type Taken,
  openBudget,
  type Budget,
} from '../../src/clock/audio/pieces.js';
import { errorReply } from '../../src/http/errors.js';
import { deviceMessage, fromDeviceError } from '../../src/operations/index.js';
import { BEDROOM, HALL, KITCHEN } from '../support/clock-fixture.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const MIB = 1024 * 1024;
const FULL =
  'too many unfinished uploads: the server holds at most 1 MiB of them; begin again later at offset 0';

describe('unfinished uploads', () => {
  let time: ManualTime;
  let budget: Budget;
  beforeEach(() => {
    time = manualTime();
    budget = openBudget(MIB);
  });
  afterEach(() => {
    expect(budget.held, 'bytes').to.equal(0);
    expect(time.pending, 'timers').to.equal(0);
  });

  const piece = (bytes: number, fields: Partial<Piece> = {}): Piece => ({
    address: KITCHEN,
    offset: 0,
    data: Buffer.alloc(bytes, 128),
    last: false,
    format: 'pcm_u8_8k',
    ...fields,
  });

  const taken = (pieces: Pieces, next: Piece): Taken => {
    const outcome = pieces.take(next);
    if (E.isLeft(outcome)) throw new Error(deviceMessage(outcome.left));
    return outcome.right;
  };

  const refused = (pieces: Pieces, next: Piece): readonly [number, string] => {
    const outcome = pieces.take(next);
    if (E.isRight(outcome)) throw new Error('it was taken');
    const { status, body } = errorReply(fromDeviceError(outcome.left));
    return [status, body.error];
  };

  it('take at most twice the memory of their pieces', () => {
    const pieces = openPieces(time, budget);
    for (let offset = 0; offset < 90_000; offset += 1_000) {
      taken(pieces, piece(1_000, { offset }));
      expect(budget.held).to.be.within(offset + 1_000, Math.max(1_024, 2 * (offset + 1_000)));
    }
    taken(pieces, piece(1));
    expect(budget.held).to.equal(1_024);
    pieces.close();
  });

  it('count until their tone is released', () => {
    const pieces = openPieces(time, budget);
    const { tone } = taken(pieces, piece(50_000, { last: true }));
    expect(budget.held).to.be.at.least(50_000);
    pieces.close();
    expect(budget.held).to.be.at.least(50_000);
    tone?.release();
  });

  it('are refused beyond the budget of all connections, and free their room', () => {
    const connections = Array.from({ length: 11 }, () => openPieces(time, budget));
    const [last, ...others] = connections;
    for (const pieces of others) taken(pieces, piece(98_304));
    expect(budget.held).to.equal(10 * 98_304);
    if (last === undefined) throw new Error('no pieces were sent');
    expect(refused(last, piece(98_304))).to.deep.equal([429, FULL]);
    expect(refused(last, piece(10, { offset: 98_304 }))).to.deep.equal([429, FULL]);
    expect(budget.held).to.equal(10 * 98_304);
    taken(last, piece(10));
    others[0]?.close();
    taken(last, piece(98_304));
    for (const pieces of connections) pieces.close();
  });

  it('leave nothing when they are refused, finished or restarted', () => {
    const pieces = openPieces(time, budget);
    taken(pieces, piece(50_000));
    expect(refused(pieces, piece(50_000, { offset: 50_000 }))[1]).to.contain('at most 98304 bytes');
    expect(budget.held).to.equal(0);
    taken(pieces, piece(50_000, { address: BEDROOM }));
    expect(refused(pieces, piece(50_000, { address: BEDROOM, format: 'wav' }))[1]).to.contain('not a WAV');
    expect(budget.held).to.equal(0);
    expect(refused(pieces, piece(0, { address: HALL, last: true }))[1]).to.equal('the tone has no samples');
  });

  it('time out one by one', () => {
    const pieces = openPieces(time, budget);
    const message = 'the upload timed out: no piece came for 60 s; begin again at offset 0';
    taken(pieces, piece(10));
    time.advance(30_000);
    taken(pieces, piece(10, { address: BEDROOM }));
    time.advance(30_000);
    expect(refused(pieces, piece(10, { offset: 10 }))).to.deep.equal([400, message]);
    expect(budget.held).to.equal(1_024);
    expect(refused(pieces, piece(10, { offset: 10, address: HALL }))[1]).to.contain('offset must be 0');
    taken(pieces, piece(10, { offset: 10, address: BEDROOM }));
    time.advance(59_999);
    taken(pieces, piece(10, { offset: 20, address: BEDROOM, last: true })).tone?.release();
  });

  it('stay as they were if a piece comes out of order, and still time out', () => {
    const pieces = openPieces(time, budget);
    taken(pieces, piece(10));
    time.advance(59_999);
    expect(refused(pieces, piece(10, { offset: 11 }))[1]).to.contain('offset must be 10, got 11');
    expect(refused(pieces, piece(10, { format: undefined }))[1]).to.contain('format is missing');
    expect(budget.held).to.equal(1_024);
    time.advance(1);
    expect(refused(pieces, piece(10, { offset: 10 }))[1]).to.contain('timed out');
  });
});
