/** Builds the pages as static files for the servers, with paths that work under any prefix. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** The ports of the pages' servers in a rig. */
const PORTS = { dice: 3000, clocks: 3001, simulator: 3100 };

/** The script of `/docs`; a server makes the page itself. */
const DOCUMENTS = 'documents';

/** The prefix of a page's server in `npm run page`. */
const prefixOf = (page: string): string => `/server-of-${page}`;

/** Builds all pages of a folder into the folder of the same name in `dist`. */
const pagesOfFolder: Plugin = {
  name: 'pages-of-a-folder',
  config: ({ root = 'src/page' }) => {
    const documents = resolve(root, DOCUMENTS, 'start.ts');
    const pages = readdirSync(root).filter((file) => file.endsWith('.html'));
    return {
      root,
      build: {
        outDir: resolve('dist', root, 'built'),
        rolldownOptions: {
          input: {
            ...Object.fromEntries(pages.map((page) => [basename(page, '.html'), resolve(root, page)])),
            ...(existsSync(documents) && { [DOCUMENTS]: documents }),
          },
        },
      },
    };
  },
};

/** Gives each page the prefix of its server, as a proxy does. */
const besideRig: Plugin = {
  name: 'beside-a-rig',
  apply: 'serve',
  transformIndexHtml: (_, { path }) => [
    { tag: 'base', attrs: { href: `${prefixOf(basename(path, '.html'))}/` }, injectTo: 'head-prepend' },
  ],
};

export default defineConfig({
  base: './',
  oxc: { jsx: { importSource: 'preact' } },
  plugins: [pagesOfFolder, besideRig],
  build: {
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        entryFileNames: ({ name }) => (name === DOCUMENTS ? `${name}.js` : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: {
    fs: { allow: ['.'] },
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
