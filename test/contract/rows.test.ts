import { Readable } from 'node:stream';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import {
  array,
  boolean,
  bytes,
  decode,
  described,
  integer,
  numberInText,
  object,
  objectWith,
  parseError,
  text,
} from '../../src/codecs/index.js';
import { command, namesOf, readRequest, requestOf, responseOf } from '../../src/contract/command.js';
import {
  detailed,
  endpoint,
  mediaType,
  socket,
  streamed,
  streamedTypes,
  TextStream,
} from '../../src/contract/index.js';
import * as t from 'io-ts';

/** A number that is written as a text. */
const asText = described(
  new t.Type<number, string>('a number', t.number.is, t.number.validate, String),
  { type: 'number' },
  { type: 'string' },
);

const refused = (message: string): E.Either<unknown, never> => E.left(parseError(message));

describe('A command', () => {
  const set = command({
    summary: 'Sets it',
    parameters: objectWith({ slot: integer(0, 15) }, { on: boolean }),
    response: object({ slot: asText }),
    acknowledged: true,
    fails: ['not_connected'],
  });
  const get = command({ summary: 'Gets it', parameters: object({}), response: object({}) });
  const commands = { set, get };

  it('reads its parameters from a request or a payload, naming a wrong field, and writes its answer', () => {
    const problem = 'slot must be a whole number from 0 to 15, got 16';
    expect(set.read({ type: 'set', slot: 3 })).to.deep.equal(E.right({ type: 'set', slot: 3 }));
    expect(set.read({ slot: 16 })).to.deep.equal(refused(`command.${problem}`));
    expect(set.readPayload(3)).to.deep.equal(refused('the payload must be a JSON object, got 3'));
    expect(set.readPayload({ slot: 16 })).to.deep.equal(refused(problem));
    expect(set.write({ slot: 3 })).to.deep.equal({ slot: '3' });
  });

  it('is measured by default, needs full access, changes nothing and has no error codes', () => {
    expect(set).to.deep.include({ acknowledged: true, fails: ['not_connected'], summary: 'Sets it' });
    const usual = { access: 'full', isMeasured: true, changes: [], acknowledged: false, fails: [] };
    expect(get).to.deep.include(usual);
  });

  it('is recognised by its name in a request', () => {
    const read = readRequest(commands);
    const right = { id: 1, command: { type: 'set', slot: 99 } };
    expect(read(right)).to.deep.equal(E.right(right));
    for (const [request, problem] of [
      [{ id: 1, command: { type: 'put' } }, 'command.type must be set or get, got "put"'],
      [{ command: {} }, 'id is missing: it must be a whole number within ±9007199254740991'],
      [{ id: 1 }, 'command is missing: it must be a JSON object'],
      ['set', 'the request must be a JSON object, got "set"'],
    ] as const)
      expect(read(request)).to.deep.equal(refused(problem));
    expect(namesOf(commands).schema.input).to.deep.equal({ type: 'string', enum: ['set', 'get'] });
  });

  it('has a codec of its request and of its response', () => {
    const id = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
    const request = requestOf('set', commands.set);
    const response = responseOf('set', commands.set);
    expect(request.schema.input).to.deep.equal({
      title: 'set',
      description: 'Sets it',
      type: 'object',
      properties: {
        id: { title: 'RequestId', description: 'Any number, which the answer repeats', ...id },
        command: {
          allOf: [
            { type: 'object', properties: { type: { type: 'string', enum: ['set'] } }, required: ['type'] },
            {
              type: 'object',
              properties: {
                slot: { type: 'integer', minimum: 0, maximum: 15 },
                on: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
              },
              required: ['slot'],
            },
          ],
        },
      },
      required: ['id', 'command'],
    });
    expect(decode(request, 'the request')({ id: 1, command: 3 })).to.deep.equal(
      refused('command must be a JSON object, got 3'),
    );
    expect(request.is({ id: 1, command: { type: 'set', slot: 3 } })).to.equal(true);
    expect(request.is({ id: 1, command: { type: 'get', slot: 3 } })).to.equal(false);
    expect(decode(request, 'the request')({ id: 1, command: { type: 'get', slot: 3 } })).to.deep.equal(
      refused('command.type must be set, got "get"'),
    );
    expect(response.schema.output).to.deep.equal({
      title: 'set_result',
      description: 'The answer to set',
      type: 'object',
      properties: {
        id: { title: 'AnsweredId', description: 'The id of the request', ...id },
        result: { type: 'object', properties: { slot: { type: 'string' } }, required: ['slot'] },
        error: { const: null },
      },
      required: ['id', 'result', 'error'],
    });
  });
});

describe('An endpoint', () => {
  const request = { params: {}, query: new URLSearchParams(), body: undefined };
  const row = { method: 'POST', path: '/api/it/:id', summary: 'Does it', response: asText } as const;

  it('reads path, query and body, and writes its answer', () => {
    const all = endpoint({
      ...row,
      params: { id: text },
      query: { secs: numberInText(0, 10), names: array(text, 'texts') },
      body: object({ on: boolean }),
    });
    const query = new URLSearchParams('secs=5&names=a&names=b&more=1');
    expect(all.read({ params: { id: 'x' }, query, body: { on: true } })).to.deep.equal(
      E.right({ params: { id: 'x' }, query: { secs: 5, names: ['a', 'b'] }, body: { on: true } }),
    );
    expect(all.write(7)).to.equal('7');
    expect(all).to.deep.include({ ...row, bodyIs: 'required', fails: [] });
    expect(Object.keys(all.params)).to.deep.equal(['id']);
    expect(Object.keys(all.query)).to.deep.equal(['secs', 'names']);
  });

  it('counts for the limit of requests by default, and is measured unless it is open', () => {
    const usual = { subject: 'Other', counted: true };
    expect(endpoint(row)).to.deep.include({ ...usual, isMeasured: true });
    expect(endpoint({ ...row, access: 'open' })).to.deep.include({ ...usual, isMeasured: false });
  });

  it('refuses a wrong path, query or body with a clear message', () => {
    const all = endpoint({ ...row, params: { id: text }, query: { secs: numberInText(0, 10) }, body: text });
    const sent = { params: { id: 'x' }, query: new URLSearchParams(), body: 'text' };
    for (const [part, problem] of [
      [{ params: {} }, 'id is missing: it must be a string'],
      [{ query: new URLSearchParams('secs=11') }, 'secs must be a number from 0 to 10, got "11"'],
      [{ body: 3 }, 'the body must be a string, got 3'],
    ] as const)
      expect(all.read({ ...sent, ...part })).to.deep.equal(refused(problem));
    expect(all.read(sent)).to.deep.equal(E.right({ params: { id: 'x' }, query: {}, body: 'text' }));
  });

  it('ignores the body of a request unless it has a codec for it', () => {
    const bare = endpoint({ ...row, fails: ['not_ready'] });
    expect(bare).to.deep.include({ bodyIs: 'ignored', body: undefined, params: {}, query: {} });
    expect(bare.fails).to.deep.equal(['not_ready']);
    expect(bare.read({ ...request, body: 7 })).to.deep.equal(E.right({ params: {}, query: {}, body: 7 }));
    expect(endpoint({ ...row, body: text, bodyIs: 'optional' }).bodyIs).to.equal('optional');
  });

  it('answers JSON, or bytes of its media type', () => {
    expect(mediaType({ response: text })).to.equal('application/json');
    expect(mediaType({ response: bytes('audio/wav') })).to.equal('audio/wav');
  });

  it('may also answer a text of other media types', () => {
    const codec = streamed(numberInText(0, 10), ['text/csv']);
    const csv = new TextStream('text/csv', Readable.from([]));
    expect([codec.is(5), codec.is(csv), codec.is('5')]).to.deep.equal([true, true, false]);
    expect([codec.encode(5), codec.encode(csv)]).to.deep.equal(['5', csv]);
    expect(codec.decode('5')).to.deep.equal(E.right(5));
    expect(codec.schema).to.deep.equal(numberInText(0, 10).schema);
    expect([streamedTypes(codec), streamedTypes(text)]).to.deep.equal([['text/csv'], []]);
  });
});

describe('A socket', () => {
  it('reads its query', () => {
    const query = { secs: numberInText(0, 10) };
    const events = socket({ path: '/ws', summary: 'Sends events', query, events: [] });
    expect(events.read(new URLSearchParams('secs=3&more=1'))).to.deep.equal(E.right({ secs: 3 }));
    expect(events.read(new URLSearchParams('secs=x'))).to.deep.equal(
      refused('secs must be a number from 0 to 10, got "x"'),
    );
    expect(events.path).to.equal('/ws');
    expect([events.commands, events.errors, events.fails]).to.deep.equal([{}, [], []]);
  });
});

describe('A detailed event', () => {
  const Rang = object({ slot: integer(0, 15) });
  const DetailedRang = detailed(Rang, { address: text });
  const origin = { address: 'A', time: '2026-01-02T03:04:05.000Z', seq: 7, instance: 'x' };

  it('has the fields of the event and of its origin', () => {
    expect(DetailedRang.encode({ slot: 3, ...origin })).to.deep.equal({ slot: 3, ...origin });
    expect(DetailedRang.is({ slot: 3, ...origin })).to.equal(true);
    for (const field of ['slot', ...Object.keys(origin)]) {
      expect(DetailedRang.is({ slot: 3, ...origin, [field]: undefined }), field).to.equal(false);
    }
    expect(DetailedRang.name).to.equal('a JSON object in full');
    const { title, description, allOf } = DetailedRang.schema.output;
    expect([title, description]).to.deep.equal([
      'detailed_event',
      'With `detail=full`: an event and its origin',
    ]);
    expect(allOf).to.have.nested.property('[1].title', 'Origin');
    expect(allOf).to.have.nested.property(
      '[1].description',
      '`seq` rises by one with every event of the server, `instance` changes with each start of it',
    );
  });
});
