/** A device for a host on H4, and an echo with the same answers without a radio. */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Air, H4Server } from '../../../simulators/radio/index.js';
import { addDevices, answerTo } from './devices.js';
import { serve } from './serve.js';

const AT = { host: '127.0.0.1', port: 0 };

const air = new Air({ pace: 'fast' });
const [address] = await addDevices(air, 1);
const hciPort = await new H4Server(air).listen(AT);

/** Each write is one byte. */
const echo = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (written: Buffer) => {
    for (const asked of written) {
      socket.write(Buffer.of(asked));
      answerTo(Buffer.of(asked), (value) => socket.write(value));
    }
  });
}).listen(AT);
await once(echo, 'listening');
serve({ hciPort, echoPort: (echo.address() as AddressInfo).port, address });
