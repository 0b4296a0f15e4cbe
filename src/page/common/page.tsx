/** The frame of all pages: the title, the state of the connection, notices and the form for a token. */
import { render, type FunctionComponent } from 'preact';
import { detached } from '../../async/defects.js';
import { keepFocus } from './browser.js';
import { Navigation, Simulated, type PageName } from './navigation.js';
import { Radios } from './radios.js';
import { adapter, connection, missed, type Server } from './server.js';
import './style.css';
import { texts } from './texts.js';
import { TokenForm } from './token-form.js';

interface PageProps {
  readonly own: PageName;
  readonly title: string;
  readonly server: Server;
  /** The actions beside the title. */
  readonly Action: FunctionComponent;
  /** A component instead of an element: an element that is shown again keeps every tree drawn from it. */
  readonly Content: FunctionComponent;
}

const Page = ({ own, title, server, Action, Content }: PageProps) => (
  <>
    <header class="top">
      <h1>{title}</h1>
      <p class={`state ${connection.value}`} role="status">
        {texts.connection[connection.value]}
      </p>
      <Navigation own={own} />
      <Action />
    </header>
    <main>
      <Simulated own={own} />
      {adapter.value === 'poweredOn' ? null : (
        <p class="notice" role="status">
          {texts.adapterOff(title)}
        </p>
      )}
      <Radios />
      {missed.value ? <p class="notice">{texts.missed}</p> : null}
      {connection.value === 'token' ? <TokenForm use={server.useToken} /> : <Content />}
    </main>
  </>
);

/** Shows a page in the document, and begins to follow its server. */
export const show = (props: PageProps): void => {
  const app = document.getElementById('app');
  if (app !== null) {
    render(<Page {...props} />, app);
    keepFocus(app);
  }
  detached(props.server.start());
};
