/** Links to the other pages of a rig and to the documents of the server. */
import { KINDS, type Pages } from '../../contract/index.js';
import { BASE, urlOf } from './api.js';
import { linkTo } from './links.js';
import { pages } from './server.js';
import { texts } from './texts.js';

export type PageName = keyof Pages;

interface OwnPage {
  readonly own: PageName;
}

const NAMES: readonly PageName[] = [...KINDS, 'simulator'];

/** The URL of the page `name` for a link on the page `own`; null without a URL that the browser can reach. */
export const linkFrom = (own: PageName, name: PageName): string | null =>
  pages.value === null ? null : linkTo(pages.value[name], { own: pages.value[own], base: BASE });

export const Navigation = ({ own }: OwnPage) => (
  <nav aria-label={texts.pages}>
    {NAMES.filter((name) => name !== own).map((name) => {
      const url = linkFrom(own, name);
      return url === null ? null : (
        <a key={name} href={url} {...(name === 'simulator' && { target: '_blank', rel: 'noopener' })}>
          {texts.page[name]}
        </a>
      );
    })}
    <a href={urlOf('docs').href}>{texts.docs}</a>
  </nav>
);

/** A notice that the devices are simulated, with a link to the simulator. */
export const Simulated = ({ own }: OwnPage) => {
  if (pages.value === null || own === 'simulator') return null;
  const { address, port } = pages.value.simulator;
  const url = linkFrom(own, 'simulator');
  const { note, link } = texts.simulated[own];
  return (
    <p class="simulated">
      {note}{' '}
      {url === null ? (
        texts.simulatorAt(address, port)
      ) : (
        <a href={url} target="_blank" rel="noopener">
          {link}
        </a>
      )}
    </p>
  );
};
