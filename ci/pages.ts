/** The pages, built into what the servers serve: files alone, of paths that work under any prefix. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** The ports of their servers in a rig. */
const PORTS = { dice: 3000, clocks: 3001, simulator: 3100 };

/** The script of `/docs`, whose page a server writes by itself. */
const DOCUMENTS = 'documents';

/** Under what prefix `npm run page` has the server of a page. */
const prefixOf = (page: string): string => `/server-of-${page}`;

/** All pages of the folder that is built, into the folder of the same name in `dist`. */
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

/** Each page gets the prefix of its server, as from a proxy. */
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
