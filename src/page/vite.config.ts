/** The page, built into what the servers serve: files alone, of paths that work under any prefix. */
import { basename } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** The pages, and the ports of their servers in a rig. */
const PORTS = { dice: 3000, clocks: 3001, simulator: 3100 };

const PAGES = Object.keys(PORTS);

/** The script of `/docs`, whose page a server writes by itself. */
const DOCUMENTS = 'documents';

/** Under what prefix `npm run page` has the server of a page. */
const prefixOf = (page: string): string => `/server-of-${page}`;

/** As behind a proxy: each page is told the prefix of its server. */
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
    rolldownOptions: {
      input: {
        ...Object.fromEntries(PAGES.map((page) => [page, `${import.meta.dirname}/${page}.html`])),
        [DOCUMENTS]: `${import.meta.dirname}/documents/start.ts`,
      },
      output: {
        entryFileNames: ({ name }) => (name === DOCUMENTS ? `${name}.js` : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      Object.entries(PORTS).map(([page, port]) => [
        prefixOf(page),
        {
          target: `http://127.0.0.1:${port}`,
          ws: true,
          changeOrigin: true,
          rewrite: (path: string) => path.slice(prefixOf(page).length),
        },
      ]),
    ),
  },
});
