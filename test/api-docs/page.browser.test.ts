import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { violationsOf, Visit } from '../page/visit.js';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

interface OpenApi {
  readonly paths: Readonly<Record<string, object>>;
}

interface AsyncApi {
  readonly channels: Readonly<Record<string, { readonly address: string }>>;
  readonly components: Readonly<Record<'messages' | 'schemas', object>>;
}

const json = async <A>(url: string): Promise<A> => (await (await fetch(url)).json()) as A;

/** Plain HTTP at a name other than localhost is an insecure context, as usual at home. */
const NAME = 'airbench.local';

/** The width of a phone. */
const PHONE_PX = 390;

const TOKEN = 'token-of-the-page-test';

/** An operation of each server that needs a token. */
const GUARDED = { 'dice server': '/api/sessions', 'clock server': '/api/devices', 'control API': '/devices' };

describe('The page of documents', () => {
  let rig: Program;
  let browser: Browser;

  before(async function () {
    browser = await openBrowser(this, `--host-resolver-rules=MAP ${NAME} 127.0.0.1`);
    rig = Program.rig([], { env: { AIRBENCH_TOKEN: TOKEN, AIRBENCH_CONTROL_TOKEN: TOKEN } });
  });

  after(async () => {
    await endPrograms();
    await closeBrowsers();
  });

  for (const [name, guarded] of Object.entries(GUARDED)) {
    describe(`of the ${name}`, () => {
      let url: string;
      let docs: string;
      let shown: Visit;

      before(async () => {
        url = await rig.url(name);
        docs = `http://${NAME}:${new URL(url).port}/docs`;
        shown = await Visit.at(browser, docs);
        await shown.page.waitForSelector('.opblock');
      });

      /** Executes a GET without parameters on the page; resolves with the status of the answer. */
      const execute = async (path: string): Promise<string> => {
        const { page } = shown;
        const block = page.locator('.opblock-get', { has: page.locator(`[data-path="${path}"]`) });
        await block.locator('.opblock-summary-control').click();
        await block.getByRole('button', { name: 'Try it out' }).click();
        await block.getByRole('button', { name: 'Execute' }).click();
        const answer = block.locator('.live-responses-table .response-col_status').last();
        await answer.waitFor();
        return answer.innerText();
      };

      it('lists each operation, and links to the page of the server', async () => {
        const { paths } = await json<OpenApi>(`${url}/openapi.json`);
        const expected = Object.entries(paths).flatMap(([path, operations]) =>
          Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
        );
        const listed = await shown.page.$$eval('.opblock-summary', (rows) =>
          rows.map((row) => {
            const method = row.querySelector('.opblock-summary-method')?.textContent ?? '';
            return `${method} ${row.querySelector('[data-path]')?.getAttribute('data-path') ?? ''}`;
          }),
        );
        expect(listed).to.have.members(expected);
        expect(await shown.page.getByRole('link', { name: 'Page' }).getAttribute('href')).to.equal('/');
      });

      it('shows each message on WebSockets and over MQTT, with links between schemas', async () => {
        const { channels, components } = await json<AsyncApi>(`${url}/asyncapi.json`);
        const ids = await shown.page.$$eval('.messages [id]', (items) => items.map(({ id }) => id));
        expect(ids).to.include.members(Object.keys(components.schemas).map((schema) => `schema-${schema}`));
        const links = await shown.page.$$eval('.messages a', (items) =>
          items.map((link) => link.getAttribute('href')),
        );
        expect(ids.map((id) => `#${id}`)).to.include.members(links);
        const text = await shown.page.$eval('main', ({ textContent }) => textContent);
        const addresses = Object.values(channels).map(({ address }) => address);
        for (const part of [...Object.keys(components.messages), ...addresses]) expect(text).to.include(part);
      });

      it('sends a request with a token, and shows the answer', async () => {
        const { page } = shown;
        expect(await execute('/health')).to.include('200');
        await page.locator('.auth-wrapper .authorize').first().click();
        const dialog = page.locator('.dialog-ux');
        await dialog.locator('input').fill(TOKEN);
        await dialog.getByRole('button', { name: 'Apply credentials' }).click();
        await dialog.locator('.btn-done').click();
        expect(await execute(guarded)).to.include('200');
      });

      it('has no error, and requests nothing from other hosts', () => shown.expectNoProblem());

      it('follows the rules of axe in both schemes and fits a phone, unfolded', async () => {
        const { page } = await Visit.at(browser, docs);
        const unfold = async (index: number): Promise<void> => {
          const operation = page.locator('.opblock').nth(index);
          await operation.locator('.opblock-summary-control').click();
          await operation.locator('.opblock-body').waitFor();
        };
        await page.locator('.messages summary').first().click();
        await unfold(0);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          // Buttons pass gradually to the colours of the other scheme.
          await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
          expect(await violationsOf(page), colorScheme).to.deep.equal([]);
        }
        for (const index of [1, 2]) await unfold(index);
        await page.$$eval('details', (items) => items.forEach((item) => (item.open = true)));
        await page.setViewportSize({ width: PHONE_PX, height: 844 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(PHONE_PX);
        await page.close();
      });
    });
  }
});
