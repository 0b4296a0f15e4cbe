import { expect } from 'chai';
import { describe, it } from 'mocha';
import { requireStatedCommand, requireStatedPath } from '../../features/support/seed.js';

describe('A step of a @seed scenario', () => {
  it('may use the paths and fields of the interface documents', () => {
    requireStatedPath('dice', '/ws');
    requireStatedPath('dice', '/api/status/s1');
    requireStatedPath('dice', '/api/connect', '{"address":"D1:CE:00:00:00:01","dice_type":"d6"}');
    requireStatedPath('clock', '/api/devices/58:2D:34:00:00:01/sensors');
    requireStatedCommand(
      '{"id":1,"command":{"type":"set_brightness","address":"58:2D:34:00:00:01","value":10}}',
    );
  });

  const paths = [
    ['dice', '/api/sessions', undefined, '/api/sessions'],
    ['dice', '/ws?detail=full', undefined, '/ws?detail=full'],
    ['dice', '/api/status/s1/more', undefined, '/api/status/s1/more'],
    [
      'dice',
      '/api/connect',
      '{"address":"D1:CE:00:00:00:01","label":"red"}',
      'the field label of /api/connect',
    ],
    ['clock', '/api/clocks', undefined, '/api/clocks'],
  ] as const;
  for (const [kind, path, body, subject] of paths) {
    it(`may not use ${subject} of the ${kind} server`, () => {
      expect(() => requireStatedPath(kind, path, body)).to.throw(
        `the interface documents do not have ${subject}: a scenario tagged @seed must not use it`,
      );
    });
  }

  const commands = [
    ['{"id":1,"command":{"type":"unsubscribe_events"}}', 'the command unsubscribe_events'],
    ['{"id":1,"command":{"type":"scan","name":"x"}}', 'the field name of the command scan'],
    ['hello', 'the command without a type'],
  ] as const;
  for (const [text, subject] of commands) {
    it(`may not use ${subject}`, () => {
      expect(() => requireStatedCommand(text)).to.throw(`the interface documents do not have ${subject}: `);
    });
  }
});
