/** The page of the simulator: the simulated devices, their actions and their faults. */
import { show } from '../../src/page/common/page.js';
import { connection } from '../../src/page/common/server.js';
import '../../src/page/common/shells.css';
import './simulator.css';
import { DevicePanel } from './device.js';
import { Faults } from './faults.js';
import { AirMap } from './map.js';
import { Chaos } from './chaos.js';
import { Curl, Violations } from './panels.js';
import { EmptyAir, DeviceList } from './device-list.js';
import { Radio } from './radio.js';
import { Trace } from './packets.js';
import { server } from './server.js';
import { devices } from './state.js';
import { texts } from './texts.js';

const World = () =>
  connection.value === 'open' || devices.value.size > 0 ? (
    <>
      <div class="world">
        <AirMap />
        {devices.value.size === 0 ? <EmptyAir /> : <DevicePanel />}
      </div>
      <div class="panels">
        <Faults />
        <Chaos />
        <Radio />
        <Violations />
      </div>
      <Trace />
      <Curl />
    </>
  ) : null;

show({
  own: 'simulator',
  title: texts.title,
  server,
  Action: DeviceList,
  Content: World,
});
