/** Somebody's program, on plain noble: finds a strap and prints its rate. It knows nothing of airbench. */
import noble from '@abandonware/noble';

noble.on('stateChange', (state) => {
  if (state === 'poweredOn') void noble.startScanningAsync(['180d']);
});

noble.once('discover', (strap) => {
  void (async () => {
    await noble.stopScanningAsync();
    await strap.connectAsync();
    const found = await strap.discoverSomeServicesAndCharacteristicsAsync(['180d'], ['2a37']);
    const [rate] = found.characteristics;
    rate?.on('data', (value) => {
      const wide = value.readUInt8(0) & 1;
      console.log(`${strap.advertisement.localName} ${wide ? value.readUInt16LE(1) : value.readUInt8(1)}`);
    });
    await rate?.subscribeAsync();
  })();
});
