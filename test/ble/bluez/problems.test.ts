import { expect } from 'chai';
import { describe, it } from 'mocha';
import { unusable } from '../../../src/ble/bluez/failures.js';
import { rows } from '../../support/rows.js';

describe('A problem of BlueZ', () => {
  for (const [name, text, what, fix] of rows(
    4,
    `
    NoServer       | connect ENOENT /run/dbus/system_bus_socket | cannot be reached (connect ENOENT     | run \`sudo systemctl start dbus\`
    NoServer       | write EPIPE                                | refuses the user number               | be a user whom its host knows
    AccessDenied   | Rejected send message                      | does not let this user talk to BlueZ  | run \`sudo usermod -aG bluetooth
    NotSupported   | only Linux has it                          | only Linux has BlueZ                  | use a Bluetooth proxy
    FileNotFound   | a-package                                  | needs a package                       | \`npm install a-package\`
    NoServer       | An AppArmor policy prevents this sender    | AppArmor or SELinux keeps this program | in a container add \`--security-opt apparmor=unconfined\`
    ServiceUnknown | The name is not activatable                | bluetoothd does not run               | run \`sudo systemctl enable --now bluetooth\`
    `,
  ))
    it(`has a fix for ${name} ${text}`, () => {
      const problem = unusable({ name: `org.freedesktop.DBus.Error.${name}`, text });
      expect(problem.what).to.contain(what);
      expect(problem.fix).to.contain(fix);
    });
});
