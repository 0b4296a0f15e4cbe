/** Of what the page has beside Swagger UI, whose colours and measures it follows. */
export const STYLE = `
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #3b4151; font: 14px/1.5 sans-serif; }
nav { position: sticky; top: 0; z-index: 1; background: #1b1b1b; }
nav > div, .messages { box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 12px 20px; }
nav > div { display: flex; flex-wrap: wrap; gap: 4px 24px; }
nav a, nav strong { color: #fff; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
nav strong { margin-inline-end: auto; }
section, [id^='schema-'] { scroll-margin-top: 56px; }

.swagger-ui .info { margin: 32px 0 24px; }
.swagger-ui .scheme-container { margin: 0; padding: 0 0 16px; background: none; box-shadow: none; }
.swagger-ui .scheme-container .schemes .schemes-server-container, .swagger-ui .response-col_links { display: none; }

.messages { padding-block-end: 40px; }
.messages h2 { margin: 0 0 8px; font-size: 24px; }
.messages h3 { margin: 32px 0 8px; font-size: 18px; }
.messages h4 { margin: 24px 0 0; font-size: 16px; }
.messages h5 { margin: 12px 0 4px; font-size: 14px; }
.messages p { margin: 8px 0; max-width: 80ch; }
.messages ul { margin: 8px 0; padding-inline-start: 20px; }
.messages code { font-family: monospace; font-weight: 600; overflow-wrap: anywhere; }
.messages pre { margin: 0; padding: 12px; max-height: 480px; overflow: auto; border-radius: 4px; background: #eceef1; }
.messages pre code { font-weight: 400; white-space: pre-wrap; }
.messages pre a { color: #1a4f9c; }
.messages pre i { color: #565d6b; font-style: normal; }
.messages details { margin: 0 0 8px; border: 1px solid #c7cad1; border-radius: 4px; background: #f7f8f9; }
.messages summary { position: relative; display: flex; align-items: center; gap: 4px 12px; padding: 5px 36px 5px 5px; cursor: pointer; }
.messages summary::after { content: ''; position: absolute; right: 16px; top: 14px; width: 7px; height: 7px; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; }
.messages details[open] > summary::after { top: 18px; rotate: 225deg; }
.messages summary b { flex: none; min-width: 80px; padding: 4px 0; border-radius: 3px; color: #fff; text-align: center; }
.messages summary b.input { background: #6b3fa0; }
.messages summary b.output { background: #0b6e6e; }
.messages summary > code { font-size: 16px; }
.messages details > div { padding: 0 16px 16px; border-top: 1px solid #c7cad1; }
@media (max-width: 640px) { .messages summary { flex-wrap: wrap; } .messages summary > * { min-width: 0; } }
`;
