import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MASK, maskCapture, messageMask, textMask } from '../../features/report/mask.js';

const SERVER = 'kX7.server-token-0001';
const CONTROL = 'kX7.control-token-0002';
const CLOCK = 'c0ffee00c0ffee00c0ffee00c0ffee01';

const ENV = { AIRBENCH_TOKEN: SERVER, AIRBENCH_CONTROL_TOKEN: CONTROL };

/** A record of RFC 1761 on `hci0` with ACL data; `flags` of the boundary: 2 begins a packet, 1 continues it. */
const record = (kind: number, boundary: number, payload: string): string => {
  const bytes = payload.length / 2;
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const acl = Buffer.alloc(4);
  acl.writeUInt16LE(0x0040 | (boundary << 12), 0);
  acl.writeUInt16LE(bytes, 2);
  return `${hex(bytes + 4, 8)}${hex(bytes + 4, 8)}${hex(kind, 8)}0000000000e03ab44a676000${acl.toString('hex')}${payload}`;
};

const HEADER = '6274736e6f6f700000000001000007d1';

const captureOf = (...records: readonly string[]): Buffer => Buffer.from(HEADER + records.join(''), 'hex');

/** Length, channel of ATT, write request to handle 3, frame with opcode 1 or 2. */
const authentication = (half: 1 | 2): string => `15000400120300110${half}${CLOCK}`;
const STARS = '2a'.repeat(16);

const masked = (capture: Buffer): string => {
  maskCapture(capture);
  return capture.toString('hex');
};

describe('The mask of a report', () => {
  const mask = textMask(ENV);

  const secrets: readonly (readonly [string, string, string])[] = [
    ['a token of a server', `GET /x ${SERVER}`, `GET /x ${MASK}`],
    ['a token of the control API in a URL', `ws://a/?k=${CONTROL}&b=1`, `ws://a/?k=${MASK}&b=1`],
    ['a header', 'Authorization: Bearer abc.def', `Authorization: Bearer ${MASK}`],
    ['a header in JSON', '{"authorization":"Basic YWJj","a":1}', `{"authorization":"Basic ${MASK}","a":1}`],
    [
      'a header in JSON in JSON',
      '\\"authorization\\":\\"Bearer abc\\"',
      `\\"authorization\\":\\"Bearer ${MASK}\\"`,
    ],
    ['a query parameter', '/ws?access_token=abc&x=1', `/ws?access_token=${MASK}&x=1`],
    ['a variable', 'AIRBENCH_TOKEN=abc npx airbench', `AIRBENCH_TOKEN=${MASK} npx airbench`],
    ["a clock's token in a model", `"token": "${CLOCK}"`, `"token": "${MASK}"`],
    ["a clock's token in an object", `{ token: '${CLOCK}' }`, `{ token: '${MASK}' }`],
    ["a clock's token in a frame", `write 1101${CLOCK}`, `write 1101${MASK}`],
    ["a clock's token in a spaced frame", `11 02 ${'c0 ff ee 00 '.repeat(4).trim()}`, `11 02 ${MASK}`],
  ];
  for (const [what, text, expected] of secrets) {
    it(`covers ${what}`, () => {
      expect(mask(text)).to.equal(expected);
    });
  }

  it('leaves other values alone', () => {
    const text =
      '"settings_hex":"03580201000fa516000700010100fdc366a5","token":null, wrong_token: "drop", its token: it is bound';
    expect(mask(text)).to.equal(text);
  });

  it('covers both halves of the authentication in a capture', () => {
    expect(masked(captureOf(record(4, 2, authentication(1)), record(5, 2, authentication(2))))).to.equal(
      captureOf(
        record(4, 2, authentication(1).replace(CLOCK, STARS)),
        record(5, 2, authentication(2).replace(CLOCK, STARS)),
      ).toString('hex'),
    );
  });

  it('covers a packet of several fragments', () => {
    const packet = authentication(1);
    const fragments = (text: string): Buffer =>
      captureOf(
        record(4, 2, text.slice(0, 24)),
        record(4, 1, text.slice(24, 40)),
        record(4, 1, text.slice(40)),
      );
    expect(masked(fragments(packet))).to.equal(fragments(packet.replace(CLOCK, STARS)).toString('hex'));
  });

  it('leaves other packets alone', () => {
    const others = [
      `150004001203001301${CLOCK}`,
      `150004001b03001101${CLOCK}`,
      `150005001203001101${CLOCK}`,
      '0400',
    ].map((packet) => record(4, 2, packet));
    expect(masked(captureOf(...others))).to.equal(captureOf(...others).toString('hex'));
  });

  it('covers every text of a message of Cucumber', () => {
    const capture = captureOf(record(4, 2, authentication(1)));
    const messages = [
      { attachment: { body: `Authorization: Bearer ${SERVER}`, contentEncoding: 'IDENTITY' } },
      { attachment: { body: capture.toString('base64'), contentEncoding: 'BASE64' } },
      {
        testStepFinished: {
          testStepResult: { message: `expected '${CLOCK}'`, exception: { stackTrace: CONTROL } },
        },
      },
      { testRunHookFinished: { result: { message: SERVER } } },
    ];
    for (const message of messages) messageMask(ENV)(message);
    const written = JSON.stringify(messages);
    for (const secret of [SERVER, CONTROL, CLOCK]) expect(written).to.not.contain(secret);
    const [, { attachment } = {}] = messages;
    const packets = Buffer.from(attachment?.body ?? '', 'base64').toString('hex');
    expect(packets).to.contain(STARS).and.not.contain(CLOCK);
  });

  it('masks the tokens of servers in files of bytes, and leaves other bytes as they are', () => {
    const bodyAfter = (bytes: Buffer): string => {
      const attachment = { body: bytes.toString('base64'), contentEncoding: 'BASE64' };
      messageMask(ENV)({ attachment });
      return Buffer.from(attachment.body, 'base64').toString('latin1');
    };
    expect(bodyAfter(Buffer.from(`\xff ${SERVER} token=x`, 'latin1'))).to.equal(`\xff ${MASK} token=x`);
  });
});
