import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { BleError } from '../../src/ble/ports.js';
import { parseError } from '../../src/codecs/index.js';
import { decodedBy, exchange } from '../../src/devices/exchange.js';
import { FakeLink } from '../support/fake-device.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';

describe('A request', () => {
  let time: ManualTime;
  let link: FakeLink;
  let listeners: number;
  let respond: (response: number) => void;

  beforeEach(() => {
    time = manualTime();
    link = new FakeLink(new FakeRadio().add(ADDRESS), ADDRESS);
    listeners = 0;
  });

  const send = (write: TE.TaskEither<BleError, void>, endsLink: string | null = null) =>
    exchange<number>({
      ...{ link, time, name: 'a request', write, responseMs: 1_000, endsLink },
      listen: (settled) => {
        listeners += 1;
        respond = settled;
        return () => {
          listeners -= 1;
        };
      },
    })();
  const written = (): Promise<E.Either<BleError, void>> => Promise.resolve(E.right(undefined));
  const outcome = (sent: Promise<unknown>): Promise<unknown> => sent.catch((defect: unknown) => defect);
  const idle = (): void => void expect([listeners, time.pending]).to.deep.equal([0, 0]);

  it('fails without a response in time, and ends the link if the options say so', async () => {
    const patient = send(written);
    await otherTurns();
    time.advance(1_000);
    const unanswered = E.left({ _tag: 'NoAnswer', address: ADDRESS, request: 'a request', ms: 1_000 });
    expect([await patient, link.ended]).to.deep.equal([unanswered, undefined]);
    const sent = send(written, 'the answer');
    await otherTurns();
    time.advance(1_000);
    expect(await sent).to.deep.equal(unanswered);
    expect(link.ended).to.include({ _tag: 'Timeout', operation: 'the answer', ms: 1_000 });
    idle();
  });

  it('leaves no limit behind if the response comes before the write is done', async () => {
    let finish = (_outcome: E.Either<BleError, void>): void => undefined;
    const sent = send(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    respond(7);
    expect(await sent).to.deep.equal(E.right(7));
    finish(E.right(undefined));
    await otherTurns();
    idle();
  });

  it('fails with the error of its write, or with the reason for the end of its link', async () => {
    const refused: BleError = { _tag: 'Busy', address: ADDRESS };
    expect(await send(() => Promise.resolve(E.left(refused)))).to.deep.equal(E.left(refused));
    const sent = send(written);
    await otherTurns();
    link.end({ _tag: 'LinkLost', address: ADDRESS, reason: 8 });
    expect(await sent).to.deep.equal(E.left({ _tag: 'LinkLost', address: ADDRESS, reason: 8 }));
    idle();
  });

  it('rejects with the defect of its write', async () => {
    const defect = new Error('a defect');
    expect(await outcome(send(() => Promise.reject(defect)))).to.equal(defect);
    idle();
    const thrown = send(() => {
      throw defect;
    });
    expect(await outcome(thrown)).to.equal(defect);
    idle();
  });
});

describe('A listener of decoded notifications', () => {
  it('receives decoded values, and logs bytes that cannot be decoded', () => {
    const log: string[] = [];
    const values: number[] = [];
    const take = decodedBy<number>(
      ([byte]) => (byte === 7 ? E.right(byte) : E.left(parseError('not a 7'))),
      { log: pino({ level: 'debug' }, { write: (line) => log.push(line) }), address: ADDRESS },
      (value) => values.push(value),
    );
    take(Buffer.from([7]));
    take(Buffer.from([8, 9]));
    expect(values).to.deep.equal([7]);
    expect(log).to.have.length(1);
    expect(JSON.parse(log[0] ?? '')).to.include({ address: ADDRESS, bytes: '0809', msg: 'not a 7' });
  });
});
