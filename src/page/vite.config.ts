/** The page, built into what the servers serve: files alone, of paths that work under any prefix. */
import { defineConfig } from 'vite';

/** Where `npm run page` finds the dice server of a rig. */
const SERVER = 'http://127.0.0.1:3000';

const toServer = { target: SERVER, ws: true, changeOrigin: true };

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: '../../dist/src/page/built',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['table', 'shelf'].map((place) => `${import.meta.dirname}/${place}.html`) },
  },
  server: { proxy: { '/api': toServer, '/health': toServer, '/ws': toServer } },
});
