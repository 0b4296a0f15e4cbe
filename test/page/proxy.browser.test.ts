/** The page under a path, behind the sample configuration of nginx, on servers that require a token. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { texts } from '../../src/page/common/texts.js';
import { BEHIND_PROXY, HOME, requireProxy, startNginx, stopProxies, type Proxy } from '../support/proxies.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { stage } from './stage.js';
import { Visit } from './visit.js';

const TOKEN = 'token-of-the-proxy-test';

describe('The page behind nginx', () => {
  let browser: Browser;
  let nginx: Proxy;

  before(function () {
    requireProxy(this, 'nginx');
  });
  after(stopProxies);
  stage(async (opened) => {
    browser = opened;
    nginx = await startNginx(
      Program.rig(['--dice', '1', '--clocks', '1', '--pace', 'fast', '--scan-secs', '0.5', ...BEHIND_PROXY], {
        env: { AIRBENCH_TOKEN: TOKEN },
      }),
    );
  }, `--host-resolver-rules=MAP ${HOME} 127.0.0.1`);

  for (const path of ['/dice/', '/clock/']) {
    it(`works under ${path}, with a token`, async () => {
      const url = `https://${HOME}:${nginx.port}${path}`;
      const visit = await Visit.at(browser, url, { ignoreHTTPSErrors: true });
      await visit.useToken(TOKEN);
      await visit.sees(/^These \w+ are simulated. The simulator listens on 127\.0\.0\.1, port \d+/);
      const links = await visit.page.getByRole('link').all();
      const urls = await Promise.all(links.map((link) => link.getAttribute('href')));
      expect(urls).to.deep.equal([`${url}docs`]);
      await visit.page.getByRole('button', { name: texts.connect }).click();
      await visit.page.locator('.card').waitFor();
      visit.expectNoProblem();
    });
  }
});
