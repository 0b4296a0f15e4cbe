/** The meanings of errors of D-Bus and of BlueZ 5.55 to 5.87. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { attErrorOf, connectError, describeFailure, meaningOf } from '../../../src/ble/bluez/failures.js';
import { bluezError } from '../../support/bluez-values.js';

const A = 'D1:CE:00:00:00:01';
const DBUS = 'org.freedesktop.DBus.Error.';

describe('A failure', () => {
  for (const [name, text, meaning] of [
    [`${DBUS}Disconnected`, 'the bus has ended', 'noBus'],
    [`${DBUS}NoServer`, 'connect ENOENT /run/dbus/system_bus_socket', 'noBus'],
    [`${DBUS}NoServer`, 'write EPIPE', 'unknownUser'],
    [`${DBUS}NoServer`, 'read ECONNRESET', 'unknownUser'],
    [`${DBUS}NoServer`, 'the bus has ended', 'unknownUser'],
    [`${DBUS}NoServer`, 'authentication failed: REJECTED EXTERNAL', 'unknownUser'],
    [`${DBUS}AccessDenied`, 'Rejected send message, 2 matched rules', 'denied'],
    [`${DBUS}AccessDenied`, 'An SELinux policy prevents this sender from sending this message', 'confined'],
    [`${DBUS}NoServer`, 'An AppArmor policy prevents this sender from sending this message', 'confined'],
    [`${DBUS}ServiceUnknown`, 'The name org.bluez was not provided by any .service files', 'noDaemon'],
    [`${DBUS}NameHasNoOwner`, 'Could not get owner of name org.bluez: no such name', 'noDaemon'],
    [`${DBUS}NoReply`, 'Message recipient disconnected from message bus without replying', 'noDaemon'],
    [`${DBUS}UnknownObject`, 'Method "Connect" with signature "" doesn\'t exist\n', 'noObject'],
    [`${DBUS}UnknownMethod`, 'Method "ReadValue" with signature "a{sv}" doesn\'t exist\n', 'noObject'],
    ['DoesNotExist', 'Does Not Exist', 'noObject'],
    ['NotReady', 'Resource Not Ready', 'adapterOff'],
    ['Failed', 'Input/output error', 'adapterOff'],
    ['Failed', 'le-connection-adapter-not-powered', 'adapterOff'],
    ['NotConnected', 'Not Connected', 'notConnected'],
    ['Failed', 'Not connected', 'notConnected'],
    ['InProgress', 'Operation already in progress', 'busy'],
    ['InProgress', 'In Progress', 'busy'],
    ['Failed', 'Operation already in progress', 'busy'],
    ['Failed', 'In Progress', 'busy'],
    ['Failed', 'le-connection-busy', 'busy'],
    ['Failed', 'Too many links', 'tooManyLinks'],
    ['Failed', 'le-connection-concurrent-connection-limit', 'tooManyLinks'],
    ['Failed', 'Software caused connection abort', 'notEstablished'],
    ['Failed', 'le-connection-abort-by-local', 'notEstablished'],
    ['Failed', 'br-connection-canceled', undefined],
    ['Failed', 'le-connection-refused', undefined],
    ['Failed', 'Operation failed with ATT error: 0x0e', undefined],
    ['NotSupported', 'Input/output error', undefined],
    ['Failed', 'No such Input/output error', undefined],
    [`${DBUS}Timeout`, 'no reply within 5000 ms', undefined],
  ] as const)
    it(`${name} "${text.trim()}" means ${meaning ?? 'nothing in particular'}, and only so`, () => {
      expect(meaningOf(bluezError(name, text))).to.equal(meaning);
      expect(meaningOf(bluezError(`Un${name.slice(name.lastIndexOf('.') + 1)}`, text))).to.equal(undefined);
      if (name === 'Failed') expect(meaningOf(bluezError(name, `${text} again`))).to.equal(undefined);
    });

  for (const [name, text, error, description] of [
    ['NotPermitted', 'Read not permitted', 0x02, 'read not permitted (0x02)'],
    ['NotPermitted', 'Write not permitted', 0x03, 'write not permitted (0x03)'],
    ['NotPermitted', 'Not paired', 0x05, 'insufficient authentication (0x05)'],
    ['InvalidArguments', 'Invalid offset', 0x07, 'invalid offset (0x07)'],
    ['InvalidOffset', 'Invalid Offset', 0x07, 'invalid offset (0x07)'],
    ['InvalidArguments', 'Invalid Length', 0x0d, 'invalid length (0x0D)'],
    ['InvalidValueLength', 'Invalid Length', 0x0d, 'invalid length (0x0D)'],
    ['NotAuthorized', 'Not Authorized', 0x08, 'insufficient authorization (0x08)'],
    ['Failed', 'Operation failed with ATT error: 0x80', 0x80, 'ATT error (0x80)'],
    ['Failed', 'Operation failed with ATT error: 0x0e', 0x0e, 'unlikely error (0x0E)'],
  ] as const)
    it(`${name} "${text}" is the device's ATT error ${error}`, () => {
      const failure = bluezError(name, text);
      if (name !== 'Failed') {
        expect(attErrorOf(bluezError(`Un${name}`, text))).to.equal(undefined);
        if (name !== 'NotAuthorized')
          expect(attErrorOf(bluezError(name, `${text} again`))).to.equal(undefined);
      }
      expect([attErrorOf(failure), describeFailure(failure)]).to.deep.equal([
        ...[error, `the device refused: ${description}`],
      ]);
    });

  for (const [name, text, description] of [
    [
      'InvalidArguments',
      'Invalid arguments in method call',
      'BlueZ reports Invalid arguments in method call',
    ],
    ['NotPermitted', 'Operation is not permitted', 'BlueZ reports Operation is not permitted'],
    ['NotSupported', 'Operation is not supported', 'BlueZ reports Operation is not supported'],
    ['Failed', '', 'BlueZ reports org.bluez.Error.Failed'],
  ] as const)
    it(`${name} "${text}" is no ATT error`, () => {
      const failure = bluezError(name, text);
      expect([attErrorOf(failure), describeFailure(failure)]).to.deep.equal([undefined, description]);
    });

  for (const [name, text, error] of [
    [`${DBUS}Disconnected`, '', { _tag: 'AdapterOff', state: 'poweredOff', reason: 'systemctl start dbus' }],
    [`${DBUS}NoReply`, '', { _tag: 'AdapterOff', state: 'poweredOff', reason: 'enable --now bluetooth' }],
    [
      'Failed',
      'Input/output error',
      { _tag: 'AdapterOff', state: 'poweredOff', reason: 'bluetoothctl power on' },
    ],
    [
      `${DBUS}NoServer`,
      'write EPIPE',
      { _tag: 'AdapterOff', state: 'unauthorized', reason: 'docker run --user' },
    ],
    [
      `${DBUS}AccessDenied`,
      '',
      { _tag: 'AdapterOff', state: 'unauthorized', reason: 'usermod -aG bluetooth' },
    ],
    [`${DBUS}UnknownObject`, '', { _tag: 'NotFound', address: A }],
    ['Failed', 'Too many links', { _tag: 'LinkLimit', address: A }],
    ['InProgress', 'In Progress', { _tag: 'ConnectFailed', address: A, reason: 'BlueZ reports In Progress' }],
  ] as const)
    it(`${name} "${text}" of an attempt to connect is ${error._tag}`, () => {
      const actual = connectError(A, bluezError(name, text));
      if (!('reason' in error)) expect(actual).to.deep.equal(error);
      else {
        const { reason, ...others } = error;
        expect(actual).to.include(others).and.have.property('reason').that.contains(reason);
      }
    });
});
