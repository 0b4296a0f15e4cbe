/** The rights of pages of other origins in a real browser; every name ends in 127.0.0.1, as it would by DNS rebinding. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { portOf, post, request } from '../support/client.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const TOKEN = 'browser-token-0123456789';
const BEARER = { authorization: `Bearer ${TOKEN}` };

const PAGE = '<!doctype html><title>A page</title>';

/** A web server of somebody else. */
const servePages = async (): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end(PAGE);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
};

const REFUSED = 'refused';

/** The status of an answer that the page could read. */
const asked = (page: Page, url: string, init: RequestInit = {}): Promise<number | string> =>
  page.evaluate(
    async ([where, how, refused]) => {
      try {
        return (await fetch(where, how)).status;
      } catch {
        return refused;
      }
    },
    [url, init, REFUSED] as const,
  );

/** The subprotocol of a WebSocket that a page could open. */
const opened = (page: Page, url: string, protocols: readonly string[]): Promise<string> =>
  page.evaluate(
    ([where, names, refused]) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(where, [...names]);
        socket.onopen = () => {
          resolve(`open ${socket.protocol}`);
          socket.close();
        };
        socket.onerror = () => resolve(refused);
      }),
    [url, protocols, REFUSED] as const,
  );

const PROTOCOLS = ['dice', `bearer.${TOKEN}`];

describe('In a browser', () => {
  let browser: Browser;
  let pages: Server | undefined;
  let rig: Program;
  let dice: string;
  let control: string;
  let pageAt: (name: string) => Promise<Page>;

  before(async function () {
    browser = await openBrowser(this, '--host-resolver-rules=MAP *.example 127.0.0.1');
    const { server, port } = await servePages();
    pages = server;
    pageAt = async (name) => {
      const page = await browser.newPage();
      await page.goto(`http://${name}:${port}/`);
      return page;
    };
    rig = Program.rig(
      ['--dice', '1', '--clocks', '0', '--allow-origin', `http://dashboard.example:${port}`],
      { env: { AIRBENCH_TOKEN: TOKEN } },
    );
    dice = await rig.url('dice server');
    control = await rig.url('control API');
  });
  after(async () => {
    pages?.close();
    await endPrograms();
    await closeBrowsers();
  });

  const socketOf = (url: string): string => `${url.replace('http', 'ws')}/ws`;
  const faults = async (): Promise<number> =>
    ((await request(portOf(control), '/faults')).body as readonly unknown[]).length;

  const addFault = async (): Promise<void> => {
    const fault = { type: 'loss', device: 'D1:CE:00:00:00:01', rate: 0.01 };
    expect((await post(portOf(control), '/faults', fault)).status).to.equal(200);
  };

  const RESET = { method: 'POST', body: '{}' } as const;
  const JSON_RESET = { ...RESET, headers: { 'content-type': 'application/json' } };

  it('a page of a foreign origin can neither read, nor open a WebSocket, nor do anything', async () => {
    await addFault();
    const page = await pageAt('evil.example');
    expect(await asked(page, `${dice}/health`)).to.equal(REFUSED);
    expect(await asked(page, `${dice}/api/sessions`, { headers: BEARER })).to.equal(REFUSED);
    expect(await asked(page, `${control}/devices`)).to.equal(REFUSED);
    expect(await opened(page, socketOf(dice), PROTOCOLS)).to.equal(REFUSED);
    expect(await asked(page, `${control}/reset`, JSON_RESET)).to.equal(REFUSED);
    // Requests without a preflight are sent, but not carried out.
    expect(await asked(page, `${control}/reset`, { method: 'POST', mode: 'no-cors' })).to.equal(REFUSED);
    expect(await faults()).to.equal(1);
  });

  it('a page of an allowed origin can do all that, with the token', async () => {
    const page = await pageAt('dashboard.example');
    expect(await asked(page, `${dice}/health`)).to.equal(200);
    expect(await asked(page, `${dice}/api/sessions`)).to.equal(401);
    expect(await asked(page, `${dice}/api/sessions`, { headers: BEARER })).to.equal(200);
    expect(await opened(page, socketOf(dice), PROTOCOLS)).to.equal('open dice');
    expect(await opened(page, socketOf(dice), PROTOCOLS.slice(1))).to.equal(`open ${PROTOCOLS[1]}`);
    expect(await opened(page, socketOf(dice), ['dice'])).to.equal(REFUSED);
    expect(await asked(page, `${control}/reset`, JSON_RESET)).to.equal(200);
    expect(await faults()).to.equal(0);
  });

  it('a page whose own name leads to the server is refused, whatever it forges', async () => {
    await addFault();
    for (const url of [dice, control]) {
      const evil = `http://evil.example:${portOf(url)}`;
      // Without its policy, the page goes on as if it had come from its own server.
      const page = await browser.newPage({ bypassCSP: true });
      expect((await page.goto(`${evil}/docs`))?.status()).to.equal(403);
      expect(await asked(page, `${evil}/health`)).to.equal(403);
      expect(await asked(page, `${evil}/health`, { headers: { 'x-forwarded-host': 'localhost' } })).to.equal(
        403,
      );
      expect(await asked(page, `${evil}/reset`, JSON_RESET)).to.equal(403);
      expect(await opened(page, socketOf(evil), PROTOCOLS)).to.equal(REFUSED);
    }
    expect(await faults()).to.equal(1);
  });
});
