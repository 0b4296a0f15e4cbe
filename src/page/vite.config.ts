/** The page, built into what the servers serve: files alone, of paths that work under any prefix. */
import { basename } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** The places, and the ports of their servers in a rig. */
const PORTS = { table: 3000, shelf: 3001, air: 3100 };

const PLACES = Object.keys(PORTS);

/** Under what prefix `npm run page` has the server of a place. */
const prefixOf = (place: string): string => `/server-of-${place}`;

/** As behind a proxy: each place is told the prefix of its server. */
const besideRig: Plugin = {
  name: 'beside-a-rig',
  apply: 'serve',
  transformIndexHtml: (_, { path }) => [
    { tag: 'base', attrs: { href: `${prefixOf(basename(path, '.html'))}/` }, injectTo: 'head-prepend' },
  ],
};

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [besideRig],
  build: {
    outDir: '../../dist/src/page/built',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { input: PLACES.map((place) => `${import.meta.dirname}/${place}.html`) },
  },
  server: {
    proxy: Object.fromEntries(
      Object.entries(PORTS).map(([place, port]) => [
        prefixOf(place),
        {
          target: `http://127.0.0.1:${port}`,
          ws: true,
          changeOrigin: true,
          rewrite: (path: string) => path.slice(prefixOf(place).length),
        },
      ]),
    ),
  },
});
