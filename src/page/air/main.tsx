/** The air: a simulated world, who is in it, and what can happen to them. */
import { show } from '../place.js';
import { connection } from '../server.js';
import './air.css';
import { DevicePanel } from './device.js';
import { Faults } from './faults.js';
import { AirMap } from './map.js';
import { Chaos, Curl, Violations } from './panels.js';
import { Trace } from './packets.js';
import { server } from './server.js';
import { devices } from './state.js';
import { texts } from './texts.js';

const World = () =>
  connection.value === 'open' || devices.value.size > 0 ? (
    <>
      <div class="world">
        <AirMap />
        {devices.value.size === 0 ? <p class="empty">{texts.empty}</p> : <DevicePanel />}
      </div>
      <Curl />
      <div class="panels">
        <Faults />
        <Chaos />
        <Violations />
      </div>
      <Trace />
    </>
  ) : null;

show({ title: texts.title, devices: texts.devices, server, children: <World /> });
