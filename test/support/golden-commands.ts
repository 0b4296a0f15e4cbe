/**
 * HCI commands as bytes, typed by hand from Core 5.4 Vol 4 Part E, H4 type byte first. noble sends the two long
 * ones of extended scanning.
 */
import { commandSpecs, type CommandName } from '../../src/ble/hci/commands.js';
import { encodeCommand } from '../../src/ble/hci/packets.js';
import { bytes } from './hci-host.js';
import { parametersOf, rows } from './rows.js';

interface GoldenCommand {
  readonly name: CommandName;
  readonly packet: Buffer;
  /** The packet as the codec writes it. */
  readonly encoded: () => Buffer;
  /** Its parameters, read and written again. */
  readonly rewritten: () => Buffer;
}

const golden = (name: CommandName, parameters: object, packet: Buffer): GoldenCommand => ({
  name,
  packet,
  encoded: () => encodeCommand(name, parameters as never),
  rewritten: () => {
    const { read, write } = commandSpecs[name].parameters;
    return write(read(packet.subarray(4)) as never);
  },
});

/** Section, name, parameters, bytes. */
const TABLE = `
  7.1.6  | disconnect | handle=0x40 reason=0x13 | 01 06 04 03 40 00 13
  7.1.23 | readRemoteVersion | handle=0x40 | 01 1D 04 02 40 00
  7.3.1  | setEventMask | mask=xFFFFFBFF07F8BF3D | 01 01 0C 08 FF FF FB FF 07 F8 BF 3D
  7.3.2  | reset | - | 01 03 0C 00
  7.3.35 | readTransmitPowerLevel | handle=0x40 type=1 | 01 2D 0C 03 40 00 01
  7.3.69 | setEventMaskPage2 | mask=x0000800000000000 | 01 63 0C 08 00 00 80 00 00 00 00 00
  7.3.78 | readLeHostSupport | - | 01 6C 0C 00
  7.3.79 | writeLeHostSupport | leSupported=1 simultaneous=0 | 01 6D 0C 02 01 00
  7.4.1  | readLocalVersion | - | 01 01 10 00
  7.4.2  | readLocalSupportedCommands | - | 01 02 10 00
  7.4.3  | readLocalSupportedFeatures | - | 01 03 10 00
  7.4.5  | readBufferSize | - | 01 05 10 00
  7.4.6  | readBdAddr | - | 01 09 10 00
  7.5.4  | readRssi | handle=0x40 | 01 05 14 02 40 00
  7.8.1  | leSetEventMask | mask=x1F00000000000000 | 01 01 20 08 1F 00 00 00 00 00 00 00
  7.8.2  | leReadBufferSize | - | 01 02 20 00
  7.8.3  | leReadLocalSupportedFeatures | - | 01 03 20 00
  7.8.4  | leSetRandomAddress | address=C0:11:22:33:44:55 | 01 05 20 06 55 44 33 22 11 C0
  7.8.5  | leSetAdvertisingParameters | intervalMin=0xa0 intervalMax=0x140 type=0 ownAddressType=1 peerAddressType=0 peerAddress=00:00:00:00:00:00 channelMap=7 filterPolicy=0 | 01 06 20 0F A0 00 40 01 00 01 00 00 00 00 00 00 00 07 00
  7.8.6  | leReadAdvertisingTxPower | - | 01 07 20 00
  7.8.7  | leSetAdvertisingData | length=3 data=x020106 | 01 08 20 20 03 02 01 06 ${'00'.repeat(28)}
  7.8.8  | leSetScanResponseData | length=4 data=x03094142 | 01 09 20 20 04 03 09 41 42 ${'00'.repeat(27)}
  7.8.9  | leSetAdvertisingEnable | enable=1 | 01 0A 20 01 01
  7.8.10 | leSetScanParameters | type=1 interval=0x12 window=0x10 ownAddressType=0 filterPolicy=0 | 01 0B 20 07 01 12 00 10 00 00 00
  7.8.11 | leSetScanEnable | enable=1 filterDuplicates=0 | 01 0C 20 02 01 00
  7.8.12 | leCreateConnection | scanInterval=0x60 scanWindow=0x30 filterPolicy=0 peerAddressType=1 peerAddress=D1:CE:00:00:00:01 ownAddressType=0 connectionIntervalMin=6 connectionIntervalMax=12 maxLatency=1 supervisionTimeout=200 minCeLength=2 maxCeLength=3 | 01 0D 20 19 60 00 30 00 00 01 01 00 00 00 CE D1 00 06 00 0C 00 01 00 C8 00 02 00 03 00
  7.8.13 | leCreateConnectionCancel | - | 01 0E 20 00
  7.8.14 | leReadFilterAcceptListSize | - | 01 0F 20 00
  7.8.15 | leClearFilterAcceptList | - | 01 10 20 00
  7.8.16 | leAddToFilterAcceptList | addressType=1 address=D1:CE:00:00:00:01 | 01 11 20 07 01 01 00 00 00 CE D1
  7.8.17 | leRemoveFromFilterAcceptList | addressType=1 address=D1:CE:00:00:00:01 | 01 12 20 07 01 01 00 00 00 CE D1
  7.8.18 | leConnectionUpdate | handle=0x41 connectionIntervalMin=6 connectionIntervalMax=12 maxLatency=1 supervisionTimeout=200 minCeLength=2 maxCeLength=3 | 01 13 20 0E 41 00 06 00 0C 00 01 00 C8 00 02 00 03 00
  7.8.19 | leSetHostChannelClassification | channelMap=xFFFFFFFF1F | 01 14 20 05 FF FF FF FF 1F
  7.8.20 | leReadChannelMap | handle=0x41 | 01 15 20 02 41 00
  7.8.21 | leReadRemoteFeatures | handle=0x41 | 01 16 20 02 41 00
  7.8.22 | leEncrypt | key=x000102030405060708090A0B0C0D0E0F plaintext=x${'AA'.repeat(16)} | 01 17 20 20 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F ${'AA'.repeat(16)}
  7.8.23 | leRand | - | 01 18 20 00
  7.8.24 | leEnableEncryption | handle=0x41 random=xF0F1F2F3F4F5F6F7 encryptedDiversifier=0x1234 longTermKey=x000102030405060708090A0B0C0D0E0F | 01 19 20 1C 41 00 F0 F1 F2 F3 F4 F5 F6 F7 34 12 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F
  7.8.25 | leLongTermKeyRequestReply | handle=0x41 longTermKey=x000102030405060708090A0B0C0D0E0F | 01 1A 20 12 41 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F
  7.8.26 | leLongTermKeyRequestNegativeReply | handle=0x41 | 01 1B 20 02 41 00
  7.8.27 | leReadSupportedStates | - | 01 1C 20 00
  7.8.31 | leRemoteConnectionParameterRequestReply | handle=0x41 connectionIntervalMin=6 connectionIntervalMax=12 maxLatency=1 supervisionTimeout=200 minCeLength=2 maxCeLength=3 | 01 20 20 0E 41 00 06 00 0C 00 01 00 C8 00 02 00 03 00
  7.8.32 | leRemoteConnectionParameterRequestNegativeReply | handle=0x41 reason=0x3b | 01 21 20 03 41 00 3B
  7.8.33 | leSetDataLength | handle=0x41 txOctets=251 txTime=2120 | 01 22 20 06 41 00 FB 00 48 08
  7.8.34 | leReadSuggestedDefaultDataLength | - | 01 23 20 00
  7.8.35 | leWriteSuggestedDefaultDataLength | txOctets=251 txTime=2120 | 01 24 20 04 FB 00 48 08
  7.8.36 | leReadLocalP256PublicKey | - | 01 25 20 00
  7.8.37 | leGenerateDhKey | x=x${'11'.repeat(32)} y=x${'22'.repeat(32)} | 01 26 20 40 ${'11'.repeat(32)} ${'22'.repeat(32)}
  7.8.38 | leAddToResolvingList | peerIdentityAddressType=1 peerIdentityAddress=C0:11:22:33:44:55 peerIrk=x${'11'.repeat(16)} localIrk=x9B7D390AA610103405ADC857A33402EC | 01 27 20 27 01 55 44 33 22 11 C0 ${'11'.repeat(16)} 9B 7D 39 0A A6 10 10 34 05 AD C8 57 A3 34 02 EC
  7.8.39 | leRemoveFromResolvingList | peerIdentityAddressType=1 peerIdentityAddress=C0:11:22:33:44:55 | 01 28 20 07 01 55 44 33 22 11 C0
  7.8.40 | leClearResolvingList | - | 01 29 20 00
  7.8.41 | leReadResolvingListSize | - | 01 2A 20 00
  7.8.42 | leReadPeerResolvableAddress | peerIdentityAddressType=1 peerIdentityAddress=C0:11:22:33:44:55 | 01 2B 20 07 01 55 44 33 22 11 C0
  7.8.43 | leReadLocalResolvableAddress | peerIdentityAddressType=1 peerIdentityAddress=C0:11:22:33:44:55 | 01 2C 20 07 01 55 44 33 22 11 C0
  7.8.44 | leSetAddressResolutionEnable | enable=1 | 01 2D 20 01 01
  7.8.45 | leSetResolvableAddressTimeout | timeout=900 | 01 2E 20 02 84 03
  7.8.46 | leReadMaximumDataLength | - | 01 2F 20 00
  7.8.47 | leReadPhy | handle=0x41 | 01 30 20 02 41 00
  7.8.48 | leSetDefaultPhy | allPhys=0 txPhys=5 rxPhys=5 | 01 31 20 03 00 05 05
  7.8.49 | leSetPhy | handle=0x41 allPhys=0 txPhys=2 rxPhys=2 phyOptions=1 | 01 32 20 07 41 00 00 02 02 01 00
  7.8.52 | leSetAdvertisingSetRandomAddress | set=3 address=C0:11:22:33:44:55 | 01 35 20 07 03 55 44 33 22 11 C0
  7.8.53 | leSetExtendedAdvertisingParameters | set=3 properties=0x1 intervalMin=0xa0 intervalMax=0x10203 channelMap=7 ownAddressType=1 peerAddressType=0 peerAddress=00:00:00:00:00:00 filterPolicy=0 txPower=127 primaryPhy=1 secondaryMaxSkip=0 secondaryPhy=2 sid=5 scanRequestNotification=1 | 01 36 20 19 03 01 00 A0 00 00 03 02 01 07 01 00 00 00 00 00 00 00 00 7F 01 00 02 05 01
  7.8.54 | leSetExtendedAdvertisingData | set=3 operation=3 fragmentPreference=1 length=6 tail=x020106020A00 | 01 37 20 0A 03 03 01 06 02 01 06 02 0A 00
  7.8.55 | leSetExtendedScanResponseData | set=3 operation=3 fragmentPreference=1 length=6 tail=x020941020A00 | 01 38 20 0A 03 03 01 06 02 09 41 02 0A 00
  7.8.56 | leSetExtendedAdvertisingEnable | enable=1 sets=1 tail=x03F4010A | 01 39 20 06 01 01 03 F4 01 0A
  7.8.57 | leReadMaximumAdvertisingDataLength | - | 01 3A 20 00
  7.8.58 | leReadNumberOfAdvertisingSets | - | 01 3B 20 00
  7.8.59 | leRemoveAdvertisingSet | set=3 | 01 3C 20 01 03
  7.8.60 | leClearAdvertisingSets | - | 01 3D 20 00
  7.8.64 | leSetExtendedScanParameters | ownAddressType=0 filterPolicy=0 scanningPhys=5 tail=x01120012000112001200 | 01 41 20 0D 00 00 05 01 12 00 12 00 01 12 00 12 00
  7.8.65 | leSetExtendedScanEnable | enable=1 filterDuplicates=0 duration=0 period=0 | 01 42 20 06 01 00 00 00 00 00
  7.8.66 | leExtendedCreateConnection | filterPolicy=0 ownAddressType=0 peerAddressType=1 peerAddress=D1:CE:00:00:00:01 initiatingPhys=1 tail=x6000600006000C000000C80000000000 | 01 43 20 1A 00 00 01 01 00 00 00 CE D1 01 60 00 60 00 06 00 0C 00 00 00 C8 00 00 00 00 00
  7.8.74 | leReadTransmitPower | - | 01 4B 20 00
  7.8.77 | leSetPrivacyMode | peerIdentityAddressType=1 peerIdentityAddress=C0:11:22:33:44:55 mode=1 | 01 4E 20 08 01 55 44 33 22 11 C0 01
`;

export const goldenCommands: readonly GoldenCommand[] = rows(4, TABLE).map(([, name, parameters, packet]) =>
  golden(name as CommandName, parametersOf(parameters), bytes(packet)),
);

export const goldenPacket = (name: CommandName): Buffer => {
  const packet = goldenCommands.find((golden) => golden.name === name)?.packet;
  if (packet === undefined) throw new Error(`no golden bytes for ${name}`);
  return packet;
};
