import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hex, send } from '../../support/command-rows.js';
import { NOBODY, pair } from '../../support/hci-scenes.js';
import { rows } from '../../support/rows.js';

const ADD = 'leAddToResolvingList';
const ENABLE = 'leSetAddressResolutionEnable';
const ADVERTISE = 'leSetAdvertisingEnable';
const CHANGES = [
  `${ADD} peerIdentityAddress=C0:00:00:00:00:02 peerIrk=x${'03'.repeat(16)}`,
  'leRemoveFromResolvingList',
  'leClearResolvingList',
  'leSetPrivacyMode mode=1',
];
const USERS = [
  [ADVERTISE, 'advertising'],
  ['leSetScanEnable', 'scanning'],
  ['leCreateConnection', 'initiating'],
  ['leExtendedCreateConnection', 'initiating'],
  ['leSetExtendedAdvertisingParameters; leSetExtendedAdvertisingEnable', 'advertising'],
  ['leSetExtendedScanEnable', 'scanning'],
] as const;

const statusesOf = async (commands: string) => {
  const { air, central } = await pair({ strict: true });
  const statuses: string[] = [];
  for (const command of commands.split('; ')) statuses.push(hex(await send(central, command)));
  const messages = air.violations.list().map(({ message }) => message.replace(/^HCI_\w+: /, ''));
  return { statuses, last: statuses.at(-1), messages };
};

/** Core 5.4 Vol 4 Part E 7.8.38 to 7.8.45, 7.8.77, and of own addresses 7.8.9, 7.8.11, 7.8.12, 7.8.56 and 7.8.66. */
describe('LL privacy refuses the last of', () => {
  const refusals = rows(
    3,
    `
    ${ADD} peerIdentityAddressType=2 | 0x12 | Peer_Identity_Address_Type must be 0x00 or 0x01, got 0x02
    ${ADD}; ${ADD} | 0x12 | the resolving list has D1:CE:00:00:00:01 already
    ${ADD}; ${ADD} peerIrk=x${'03'.repeat(16)} localIrk=x${'04'.repeat(16)} | 0x12 | the resolving list has D1:CE:00:00:00:01 already
    ${ADD}; ${ADD} peerIdentityAddress=C0:00:00:00:00:02 | 0x12 | the resolving list has a device with this Peer_IRK already
    leRemoveFromResolvingList | 0x02 | the resolving list has no device D1:CE:00:00:00:01
    ${ADD}; leRemoveFromResolvingList peerIdentityAddressType=1 | 0x02 | -
    leRemoveFromResolvingList peerIdentityAddressType=2 | 0x12 | -
    ${ADD}; leClearResolvingList; leRemoveFromResolvingList | 0x02 | -
    leReadPeerResolvableAddress | 0x02 | the resolving list has no device D1:CE:00:00:00:01
    leReadLocalResolvableAddress | 0x02 | -
    leReadPeerResolvableAddress peerIdentityAddressType=3 | 0x12 | -
    ${ENABLE} enable=2 | 0x12 | Address_Resolution_Enable must be 0x00 or 0x01, got 0x02
    leSetResolvableAddressTimeout timeout=0 | 0x12 | RPA_Timeout must be 0x0001 to 0x0E10, got 0x0000
    leSetResolvableAddressTimeout timeout=3601 | 0x12 | RPA_Timeout must be 0x0001 to 0x0E10, got 0x0E11
    leSetPrivacyMode | 0x02 | the resolving list has no device D1:CE:00:00:00:01
    ${ADD}; leSetPrivacyMode mode=2 | 0x12 | Privacy_Mode must be 0x00 or 0x01, got 0x02
    leSetAdvertisingParameters ownAddressType=3; ${ADVERTISE} | 0x12 | Own_Address_Type is random, and the random address was never set
    ${ADD}; leSetAdvertisingParameters ownAddressType=3 peerAddress=C0:00:00:00:00:02; ${ADVERTISE} | 0x12 | -
    ${ADD} localIrk=x${'00'.repeat(16)}; leSetAdvertisingParameters ownAddressType=3 peerAddress=D1:CE:00:00:00:01; ${ADVERTISE} | 0x12 | -
    ${ADD}; leSetScanParameters ownAddressType=3; leSetScanEnable | 0x12 | -
    ${ADD}; leCreateConnection ownAddressType=3 peerAddress=C0:00:00:00:00:02 | 0x12 | -
    ${ADD}; leCreateConnection ownAddressType=3 filterPolicy=1 | 0x12 | -
    leExtendedCreateConnection ownAddressType=3 | 0x12 | -
    leSetExtendedAdvertisingParameters ownAddressType=3; leSetExtendedAdvertisingEnable | 0x12 | -
    `,
  );
  for (const [commands, status, message] of refusals) {
    it(`${commands} with ${status}`, async () => {
      const { statuses, messages } = await statusesOf(commands);
      expect(statuses).to.deep.equal([...statuses.slice(1).map(() => '0x00'), status]);
      expect(messages).to.have.length(1);
      if (message !== '-') expect(messages).to.deep.equal([message]);
    });
  }
});

describe('The resolving list', () => {
  for (const [begin, user] of USERS) {
    for (const change of CHANGES) {
      it(`refuses ${change} with 0x0C after ${begin} while addresses are resolved`, async () => {
        const { last, messages } = await statusesOf(`${ADD}; ${ENABLE}; ${begin}; ${change}`);
        expect(last).to.equal('0x0C');
        expect(messages).to.deep.equal([
          `with address resolution enabled, the resolving list must not change while ${user}`,
        ]);
      });

      it(`accepts ${change} after ${begin} while addresses are not resolved`, async () => {
        const { last, messages } = await statusesOf(`${ADD}; ${begin}; ${change}`);
        expect(last).to.equal('0x00');
        expect(messages).to.deep.equal([]);
      });
    }

    for (const enable of [0, 1]) {
      it(`is in use, so that ${ENABLE} enable=${enable} gets 0x0C after ${begin}`, async () => {
        const { last, messages } = await statusesOf(`${begin}; ${ENABLE} enable=${enable}`);
        expect(last).to.equal('0x0C');
        expect(messages).to.deep.equal([`address resolution must not change while ${user}`]);
      });
    }
  }
});

describe('LL privacy accepts', () => {
  for (const commands of [
    `${ADD} peerIrk=x${'00'.repeat(16)}; ${ADD} peerIdentityAddress=C0:00:00:00:00:02 peerIrk=x${'00'.repeat(16)}`,
    `${ADD}; ${ADD} peerIdentityAddressType=1 peerIrk=x${'03'.repeat(16)}`,
    `${ADD}; leRemoveFromResolvingList; ${ADD}`,
    `${ENABLE}; ${ENABLE}; ${ENABLE} enable=0`,
    `${ADD}; ${ENABLE}; leClearResolvingList`,
    'leSetResolvableAddressTimeout timeout=1; leSetResolvableAddressTimeout timeout=3600',
    `${ADVERTISE}; leSetResolvableAddressTimeout`,
    `leSetAdvertisingParameters ownAddressType=2; ${ADVERTISE}`,
    `${ADD}; leSetAdvertisingParameters ownAddressType=3 peerAddress=D1:CE:00:00:00:01; ${ADVERTISE}`,
    `leSetRandomAddress; leSetAdvertisingParameters ownAddressType=3; ${ADVERTISE}`,
    'leSetScanParameters ownAddressType=2 filterPolicy=2; leSetScanEnable',
    'leSetExtendedScanParameters ownAddressType=2 filterPolicy=3; leSetExtendedScanEnable',
    'leCreateConnection ownAddressType=2 peerAddressType=2',
    `${ADD}; leCreateConnection ownAddressType=3`,
    `leSetRandomAddress; leCreateConnection ownAddressType=3 filterPolicy=1 peerAddress=${NOBODY}`,
    'leExtendedCreateConnection ownAddressType=2 peerAddressType=3',
    `${ADD}; leSetExtendedAdvertisingParameters ownAddressType=3 peerAddress=D1:CE:00:00:00:01; leSetExtendedAdvertisingEnable`,
  ]) {
    it(commands, async () => {
      const { statuses, messages } = await statusesOf(commands);
      expect(statuses).to.deep.equal(statuses.map(() => '0x00'));
      expect(messages).to.deep.equal([]);
    });
  }
});

describe('The room of a resolving list', () => {
  it('is that of 16 devices: one more is 0x07, and a removed one leaves room', async () => {
    const { central } = await pair();
    const { size = 0 } = (await central.returned('leReadResolvingListSize', {})) ?? {};
    expect(size).to.equal(16);
    const nth = (number: number): string => {
      const octet = number.toString(16).padStart(2, '0').toUpperCase();
      return `peerIdentityAddress=C0:00:00:00:00:${octet} peerIrk=x${octet.repeat(16)}`;
    };
    for (let number = 1; number <= size; number++)
      expect(await send(central, `${ADD} ${nth(number)}`)).to.equal(0);
    expect(await send(central, `${ADD} ${nth(size + 1)}`)).to.equal(0x07);
    expect(await send(central, 'leRemoveFromResolvingList peerIdentityAddress=C0:00:00:00:00:03')).to.equal(
      0,
    );
    expect(await send(central, `${ADD} ${nth(size + 1)}`)).to.equal(0);
  });
});
