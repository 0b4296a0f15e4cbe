import { expect } from 'chai';
import { describe, it } from 'mocha';
import { decodeSpecs } from '../../../simulators/control/index.js';
import { importDevice } from '../../../simulators/lab/import/import.js';
import { left, right } from '../../support/either.js';
import { jsonOf, rows } from '../../support/rows.js';
import { ADDRESS, deviceOf } from './scene.js';

/** The advertising data of examples/device2.json of Bumble: flags, a service, and data of another service. */
const bumble = {
  ...{ name: 'Bulb', address: 'F0:F1:F2:F3:F4:F5', advertising_interval: 200, keystore: 'JsonKeyStore' },
  irk: '865F81FF5A8B486EAAE29A27AD9F77DC',
  advertising_data: '0201061106ba5689a6fabfa2bd01467d6e00fbabad08160a181604659b03',
  gatt_services: [
    {
      uuid: '50DB505C-8AC4-4738-8448-3B1D9CC09CC5',
      characteristics: [
        {
          uuid: '486F64C6-4B5F-4B3B-8AFF-EDE134A8446A',
          properties: 'READ|NOTIFY',
          permissions: 'READABLE,READ_REQUIRES_AUTHENTICATION',
          descriptors: [{ descriptor_type: '2901', permissions: 'READABLE' }],
        },
        { uuid: '2A57', properties: 'WRITE,BROADCAST', permissions: 0x0a },
      ],
    },
  ],
};

const attribute = (instanceId: string, uuid: string, more: object) => ({
  ...{
    instanceId,
    uuid,
    name: 'any',
    readPerm: 'open',
    writePerm: 'open',
    fixedLength: false,
    maxLength: 20,
  },
  ...{ value: [], children: {}, errorMessage: null, ...more },
});

const nrfConnect = {
  selectedComponent: null,
  showingDeleteDialog: false,
  children: {
    'local.server.1': attribute('local.server.1', '1800', {
      children: {
        'local.server.1.1': attribute('local.server.1.1', '2A00', {
          value: [0x42, 0x75, 0x6c, 0x62],
          properties: { read: true, write: true },
        }),
        'local.server.1.2': attribute('local.server.1.2', '2A01', {
          value: [0x90, 0x07],
          properties: { read: true, write: false },
        }),
      },
    }),
    'local.server.2': attribute('local.server.2', '1801', {}),
    'local.server.3': attribute('local.server.3', '6E400001B5A3F393E0A9E50E24DCCA9E', {
      children: {
        'local.server.3.4': attribute('local.server.3.4', '6E400003B5A3F393E0A9E50E24DCCA9E', {
          readPerm: 'no_access',
          properties: { read: true, notify: true, broadcast: true },
          children: {
            'local.server.3.4.5': attribute('local.server.3.4.5', '2902', { writePerm: 'encrypt' }),
          },
        }),
        'local.server.3.6': attribute('local.server.3.6', '6E400003B5A3F393E0A9E50E24DCCA9E', {
          ...{ writePerm: 'encrypt mitm-protection', fixedLength: true, maxLength: 1 },
          properties: { writeWoResp: true },
        }),
      },
    }),
  },
};

describe('A device that another program describes', () => {
  it('has address, advertisement, services and permissions of a configuration of Bumble', () => {
    const { device, leftOut } = right(importDevice(bumble));
    expect(device).to.deep.equal({
      ...{ kind: 'gatt', name: 'Bulb', address: 'F0:F1:F2:F3:F4:F5', address_type: 'random' },
      advertising: {
        ...{ interval_ms: 200, flags: 6, name: false, services: ['adabfb006e7d4601bda2bffaa68956ba'] },
        service_data: [{ uuid: '180a', value: '1604659b03' }],
      },
      // A host could not authenticate without a display.
      pairing: { io: 'display', identity_key: true },
      services: [
        {
          uuid: '50db505c8ac4473884483b1d9cc09cc5',
          characteristics: [
            {
              ...{ uuid: '486f64c64b5f4b3b8affede134a8446a', properties: ['read', 'notify'] },
              permissions: { read: 'authenticated', subscribe: 'open' },
              descriptors: [{ uuid: '2901', value: '' }],
            },
            { uuid: '2a57', properties: ['write'], permissions: { write: 'encrypted' } },
          ],
        },
      ],
    });
    expect(leftOut).to.deep.equal([
      ...['keystore', 'irk', 'gatt_services[0].characteristics[1].properties BROADCAST'],
    ]);
    right(decodeSpecs([device]));
  });

  it('advertises its name alone by a configuration of Bumble without advertising data', () => {
    expect(right(importDevice({ address: 'F0:F1:F2:F3:F4:F5/P', io_capability: 4 })).device).to.deep.equal({
      ...{ kind: 'gatt', name: 'Bumble', address: 'F0:F1:F2:F3:F4:F5', address_type: 'public' },
      advertising: { interval_ms: 1000, flags: null, name: true },
      ...{ pairing: { io: 'keyboard_display', identity_key: true }, services: [] },
    });
  });

  it('advertises with private addresses by le_privacy_enabled of Bumble', () => {
    // The fields of Bumble's examples/device_with_rpa.json.
    const config = {
      ...{ name: 'Bulb', address: 'F0F1F2F3F4F5', keystore: 'JsonKeyStore' },
      ...{ irk: '865F81FF5A8B486EAAE29A27AD9F77DC', le_privacy_enabled: true },
    };
    const { device, leftOut } = right(importDevice(config));
    expect(device).to.deep.equal({
      ...{ kind: 'gatt', name: 'Bulb', address: 'F0:F1:F2:F3:F4:F5', address_type: 'random' },
      advertising: { interval_ms: 1000, flags: null, name: true },
      ...{ pairing: { io: 'none', identity_key: true }, privacy: {}, services: [] },
    });
    expect(leftOut).to.deep.equal(['keystore', 'irk']);
    const { privacy } = right(importDevice({ ...config, le_rpa_timeout: 60 })).device;
    expect(privacy).to.deep.equal({ timeout_secs: 60 });
    right(decodeSpecs([device]));
  });

  // Fields of `DeviceConfiguration` in bumble/device.py; `load_from_dict` gives advertising_interval to both limits before
  // it reads them, and ignores empty advertising data.
  const taken = rows(
    3,
    `
    {"name":"A","keystore":"JsonKeyStore"}                                       | {"name":"A"}                      | keystore
    {"name":"A","classic_enabled":false}                                         | {"name":"A"}                      | classic_enabled
    {"keystore":null,"class_of_device":2376708,"classic_enabled":true,"cis_enabled":true} | {"name":"Bumble"}        | keystore class_of_device classic_enabled cis_enabled
    {"address":"F0:F1:F2:F3:F4:F5","connectable":false,"discoverable":false}     | {"advertising":{"interval_ms":1000,"flags":null,"name":true}} | connectable discoverable
    {"le_enabled":true,"identity_address_type":1,"le_privacy_enabled":false}     | {"privacy":null}                  | -
    {"advertising_interval":2000,"advertising_interval_min":100.4}               | {"advertising":{"interval_ms":100,"flags":null,"name":true}} | -
    {"advertising_data":"","scan_response_data":"020a 0403095253"}               | {"advertising":{"interval_ms":1000,"flags":null,"name":true,"scan_response":{"tx_power":4,"structures":[{"type":9,"value":"5253"}]}}} | -
    {"advertising_data":"02010600000000"}                                        | {"advertising":{"interval_ms":1000,"flags":6,"name":false}} | -
    {"io_capability":4,"irk":"00"}                                               | {"pairing":{"io":"keyboard_display","identity_key":true}} | irk
    `,
  );
  for (const [file, fields, names] of taken) {
    it(`is taken: ${file}`, () => {
      const { device, leftOut } = right(importDevice(jsonOf(file)));
      for (const [name, value] of Object.entries(jsonOf(fields) as object))
        expect(device[name] ?? null, name).to.deep.equal(value);
      expect(leftOut.join(' ') || '-').to.equal(names);
      right(decodeSpecs([device]));
    });
  }

  it('does not advertise a name that is longer than advertisements', () => {
    const name = 'x'.repeat(30);
    const setup = (value: string) => ({
      children: {
        a: {
          uuid: '1800',
          // The app fills values of fixed length with zeros (saveChangedAttribute in lib/actions/serverSetupActions.js).
          children: { b: { uuid: '2A00', value: [...Buffer.from(value), 0, 0], properties: { read: true } } },
        },
      },
    });
    for (const file of [{ name, keystore: '' }, setup(name)]) {
      const { device, leftOut } = right(importDevice(file));
      expect(device).to.have.property('name', name);
      expect(device).to.have.nested.property('advertising.name', false);
      expect(leftOut).to.include('name in advertisements');
      right(decodeSpecs([device]));
    }
    expect(right(importDevice(setup(name.slice(1)))).device).not.to.have.property('advertising');
    expect(left(importDevice(setup('two\nlines'))).message).to.equal(
      'the value of 2A00 must be a text of at most 248 characters without control characters, got "two\\nlines"',
    );
  });

  it('has name, appearance, services and permissions of a setup of nRF Connect', () => {
    const { device, leftOut } = right(importDevice(nrfConnect));
    const uart = { uuid: '6e400003b5a3f393e0a9e50e24dcca9e', max_length: 20 };
    expect(device).to.deep.equal({
      ...{ kind: 'gatt', name: 'Bulb', appearance: 0x0790, pairing: { io: 'display' } },
      services: [
        {
          uuid: '1800',
          characteristics: [
            { uuid: '2a00', properties: ['read', 'write'], value: { text: 'Bulb' }, max_length: 20 },
            { uuid: '2a01', properties: ['read'], value: '9007', max_length: 20 },
          ],
        },
        {
          uuid: '6e400001b5a3f393e0a9e50e24dcca9e',
          characteristics: [
            {
              ...{ ...uart, properties: ['read', 'notify'], permissions: { subscribe: 'encrypted' } },
              on_read: { error: 0x02 },
            },
            {
              ...{ ...uart, id: `${uart.uuid}-2`, properties: ['write_without_response'], max_length: 1 },
              permissions: { write: 'authenticated' },
            },
          ],
        },
      ],
    });
    expect(leftOut).to.deep.equal(['local.server.3.4 properties.broadcast', 'local.server.3.6 fixedLength']);
    right(decodeSpecs([device]));
  });

  it('answers a host', async () => {
    const { ask } = await deviceOf({ ...right(importDevice(nrfConnect)).device, address: ADDRESS });
    // Reads by type: the name; the first characteristic of the UART service, which nobody may read.
    expect(await ask('08 01 00 ff ff 00 2a')).to.match(/42 75 6c 62$/);
    expect(await ask('0a 0c 00')).to.equal('01 0a 0c 00 02');
  });

  const refused = rows(
    2,
    `
    []                                   | the file must be a JSON object, got []
    {"name":"Any"}                       | the file is neither a configuration of Bumble, with a field such as address or keystore, nor a server setup
    {"advertisingData":[],"scanResponse":[]} | the file is an advertising setup of nRF Connect for Desktop: import its server setup
    {"kind":"gatt"}                      | the file has a kind: it is a file for --devices as it is
    {"address":"here"}                   | address must be six pairs of hex digits, with or without colons, and /P behind a public one, got "here"
    {"name":"A","class_of_device":7936}  | classic Bluetooth (BR/EDR) alone, but virtual devices are of Bluetooth LE: it has class_of_device, and no field of Bluetooth LE such as address
    {"classic_enabled":true,"io_capability":1} | Bluetooth LE: it has classic_enabled, and no field
    {"address":"F0:F1:F2:F3:F4:F5","le_enabled":false} | Bluetooth LE: le_enabled is false
    {"le_enabled":"no"}                  | le_enabled must be true or false, got "no"
    {"keystore":"","le_rpa_timeout":0}   | le_rpa_timeout must be a whole number from 1 to 3600, got 0
    {"keystore":"","name":"a\\nb"}        | name must be a text of at most 248 characters without control characters, got "a\\nb"
    {"advertising_data":"020106110"}     | advertising_data must be a text of at most 512 pairs of hex digits
    {"advertising_data":"0201061106ba"}  | advertising_data must be whole AD structures, got 1106ba behind the last
    {"scan_response_data":"0201060000ff"} | scan_response_data must be whole AD structures, got 0000ff behind the last
    {"scan_response_data":"1fff${'00'.repeat(31)}"} | scan_response_data must be at most 31 octets long, got 33
    {"advertising_interval":5}           | advertising_interval must be a number from 20 to 10240, got 5
    {"gatt_services":[{"uuid":"18"}]}    | gatt_services[0].uuid must be a UUID of 4 or 32 hex digits
    {"gatt_services":[{"uuid":"180f","characteristics":[{"uuid":"2a19","properties":"LOOK","permissions":1}]}]} | gatt_services[0].characteristics[0].properties must be names of BROADCAST, READ,
    {"gatt_services":[{"uuid":"180f","characteristics":[{"uuid":"2a19","properties":"READ","permissions":"ALL"}]}]} | gatt_services[0].characteristics[0].permissions must be a whole number from 0 to 255, or names of READABLE,
    {"children":{"a":{"uuid":null}}}     | children.a.uuid must be a UUID of 4 or 32 hex digits in quotes, such as "2a37", got null
    {"children":{"a":{"uuid":"1800","children":{"b":{"uuid":"2a00","value":[1,null]}}}}} | children.a.children.b.value[1] must be a whole number from 0 to 255, got null
    {"children":[]}                      | children must be an object of attributes by their instance ids, got []
    {"children":{"a":{"uuid":"1800","children":{"b":{"uuid":"2a00","properties":{},"readPerm":"some"}}}}} | children.a.children.b.readPerm must be one of open, encrypt,
    `,
  );
  it('is refused with a value of more than 512 octets', () => {
    const children = { b: { uuid: '2a37', value: new Array(513).fill(0), properties: {} } };
    expect(left(importDevice({ children: { a: { uuid: '180d', children } } })).message).to.equal(
      'children.a.children.b.value must be at most 512 octets long, got 513',
    );
  });

  for (const [file, message] of refused) {
    it(`is refused: ${file}`, () => {
      expect(left(importDevice(jsonOf(file))).message).to.contain(message);
    });
  }
});
