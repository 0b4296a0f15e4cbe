/** The style of the page: variables in both schemes, its own parts, and the parts of Swagger UI whose contrast is too low. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fff; --ink: #3b4151; --surface: #f7f8f9; --code: #eceef1; --line: #c7cad1; --quiet: #565d6b; --link: #1a4f9c; --good: #1b7a4d;
  --get: #1c6bb8; --post: #1b7a4d; --put: #9a5a00; --delete: #c22525; --input: #6b3fa0; --output: #0b6e6e;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #1c2022; --ink: #e4e6e6; --surface: #24292b; --code: #14181a; --line: #4a5255; --quiet: #b3bcc2; --link: #8fb8f0; --good: #6fd394; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.5 sans-serif; }
nav { position: sticky; top: 0; z-index: 1; background: #1b1b1b; }
nav > div, .messages { box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 12px 20px; }
nav > div { display: flex; flex-wrap: wrap; gap: 4px 24px; }
nav a, nav strong { color: #fff; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
nav strong { margin-inline-end: auto; }
section, [id^='schema-'] { scroll-margin-top: 56px; }

.swagger-ui .info { margin: 32px 0 24px; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .auth-wrapper { justify-content: flex-start; }
.swagger-ui a, .swagger-ui .link, .swagger-ui .info a { color: var(--link); }
html .swagger-ui .info .title small, html .swagger-ui .info .title small.version-stamp { background: #565d6b; }
html .swagger-ui .info .title small pre { color: #fff; }
html .swagger-ui .opblock.opblock .opblock-section-header.opblock-section-header { background: var(--surface); box-shadow: none; }
html .swagger-ui, html .swagger-ui label, html .swagger-ui label span, html .swagger-ui table tbody tr td.header-col { color: var(--ink); }
html .swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
html .swagger-ui .opblock.opblock-get .opblock-summary-method { background: var(--get); }
html .swagger-ui .opblock.opblock-post .opblock-summary-method { background: var(--post); }
html .swagger-ui .opblock:is(.opblock-put, .opblock-patch) .opblock-summary-method { background: var(--put); }
html .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: var(--delete); }
html .swagger-ui .btn.authorize, html .swagger-ui .btn.authorize span { border-color: var(--good); color: var(--good); }
html .swagger-ui .btn.authorize svg { fill: var(--good); }
html .swagger-ui .opblock-body pre.microlight { max-height: none; }
.swagger-ui .microlight [style*='rgb(211, 99, 99)'] { color: #ff9d94 !important; }
html .swagger-ui .parameter__in { color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.messages { padding-block-end: 40px; }
.messages h2 { margin: 0 0 8px; font-size: 24px; }
.messages h3 { margin: 32px 0 8px; font-size: 18px; }
.messages h4 { margin: 24px 0 0; font-size: 16px; }
.messages p { margin: 8px 0; max-width: 80ch; }
.messages ul { margin: 8px 0; padding-inline-start: 20px; }
.messages code { font-family: monospace; font-weight: 600; overflow-wrap: anywhere; }
.messages pre { margin: 0; padding: 12px; overflow-x: auto; border-radius: 4px; background: var(--code); }
.messages pre code { font-weight: 400; white-space: pre-wrap; }
.messages pre a { color: var(--link); }
.messages pre i { color: var(--quiet); font-style: normal; }
.messages details { margin: 0 0 8px; border: 1px solid var(--line); border-radius: 4px; background: var(--surface); }
.messages summary { position: relative; display: flex; align-items: center; gap: 4px 12px; padding: 5px 36px 5px 5px; cursor: pointer; }
.messages summary::after { content: ''; position: absolute; right: 16px; top: 14px; width: 7px; height: 7px; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; }
.messages details[open] > summary::after { top: 18px; rotate: 225deg; }
.messages summary b { flex: none; min-width: 80px; padding: 4px 0; border-radius: 3px; color: #fff; text-align: center; }
.messages summary b.input { background: var(--input); }
.messages summary b.output { background: var(--output); }
.messages summary > code { font-size: 16px; }
.messages details > div { padding: 0 16px 16px; border-top: 1px solid var(--line); }
@media (max-width: 640px) { .messages summary { flex-wrap: wrap; } .messages summary > * { min-width: 0; } }
`;
