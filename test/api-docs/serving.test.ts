import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { OPEN_ACCESS, tokenAccess, type Access } from '../../src/access/access.js';
import { PAGE_HEADERS, type Contract } from '../../src/contract/index.js';
import { contract } from '../../src/dice/contract.js';
import { documentRoutes, type HttpServer } from '../../src/http/index.js';
import { request } from '../support/client.js';
import { startServer } from '../support/server.js';
import { steppedTime } from '../support/stepped-time.js';

/** A contract without examples. */
const CONTRACT: Contract = { ...contract, title: 'A <b>server</b>' };

const FILES = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/start.js': 'text/javascript; charset=utf-8',
  '/docs/style.css': 'text/css; charset=utf-8',
  '/docs/favicon-32x32.png': 'image/png',
};

describe('Documents over HTTP', () => {
  let server: HttpServer;
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);

  beforeEach(async () => {
    server = await startServer({ time: steppedTime(0), routes: documentRoutes(CONTRACT) });
  });
  afterEach(() => server.close());

  /** The security schemes in the OpenAPI document of a server with this access, and the scopes of three operations. */
  const securityOf = async (access: Access): Promise<readonly unknown[]> => {
    const routes = documentRoutes(CONTRACT, access);
    const server = await startServer({ time: steppedTime(0), routes });
    const { body } = await request(server.port, '/openapi.json');
    await server.close();
    const { paths, components } = body as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security: unknown }>>>>;
      readonly components: { readonly securitySchemes?: object };
    };
    const operations = [
      paths['/api/sessions']?.['get'],
      paths['/api/led']?.['post'],
      paths['/health']?.['get'],
    ];
    return [Object.keys(components.securitySchemes ?? {}), ...operations.map((row) => row?.security)];
  };

  it('name a token for the operations that need it alone', async () => {
    const access = tokenAccess([{ name: 'somebody', token: 'a-token-of-the-documents', scope: 'full' }]);
    const [read, full] = [[{ token: ['read'] }], [{ token: ['full'] }]];
    expect(await securityOf(access)).to.deep.equal([['token'], read, full, []]);
    expect(await securityOf(OPEN_ACCESS)).to.deep.equal([[], [], [], []]);
  });

  it('serve the files of the page with their types, under one policy', async () => {
    for (const [path, type] of Object.entries(FILES)) {
      const { status, headers } = await get(path);
      expect([status, headers.get('content-type')], path).to.deep.equal([200, type]);
      for (const [name, value] of Object.entries(PAGE_HEADERS))
        expect(headers.get(name), path).to.equal(value);
    }
  });

  it('serve a page without inline scripts, and all of its files', async () => {
    const page = await (await get('/docs')).text();
    const named = [...page.matchAll(/(?:src|href)="(\/docs[^"]*)"/g)].map(([, path]) => path);
    expect(Object.keys(FILES)).to.include.members(named);
    expect(page).to.match(/<title>A &lt;b&gt;server&lt;\/b&gt;<\/title>/);
    expect(page).to.not.match(/ style=|<style|<script>| on\w+=/);
  });

  it('do not serve other files', async () => {
    for (const path of ['/docs/', '/docs/package.json', '/docs/..%2fpackage.json'])
      expect((await get(path)).status, path).to.equal(404);
  });
});
