/** Of what the page has beside Swagger UI, whose colours these are. */
export const STYLE = `
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #3b4151; font: 14px/1.5 sans-serif; }
nav { position: sticky; top: 0; z-index: 1; background: #1b1b1b; }
nav > div, main > section { max-width: 1420px; margin: 0 auto; padding: 0 20px; }
nav > div { display: flex; flex-wrap: wrap; gap: 4px 24px; padding-block: 12px; }
nav a { color: #fff; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
nav strong { color: #fff; margin-inline-end: auto; }
section { scroll-margin-top: 48px; }
#http { padding: 0; }
.swagger-ui .info { margin: 32px 0 24px; }
.swagger-ui .scheme-container, .swagger-ui .opblock-tag { display: none; }
#websockets { padding-block: 8px 64px; }
#websockets h2 { font-size: 24px; margin: 32px 0 8px; }
#websockets h3 { font-size: 18px; margin: 32px 0 8px; }
#websockets h4 { font-size: 16px; margin: 24px 0 8px; }
#websockets h5 { font-size: 14px; margin: 16px 0 4px; }
#websockets p { margin: 8px 0; max-width: 80ch; }
#websockets ul { margin: 8px 0; padding-inline-start: 20px; }
code { font: 600 13px/1.5 monospace; }
pre { margin: 0; padding: 12px; max-height: 480px; overflow: auto; border-radius: 4px; background: #f3f4f6; }
pre code { font-weight: 400; }
pre a { color: #1a5fb4; }
details { margin: 0 0 8px; border: 1px solid #c7cad1; border-radius: 4px; background: #fafafa; }
summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; padding: 8px; cursor: pointer; }
summary b { min-width: 80px; padding: 4px 0; border-radius: 3px; background: #5b6270; color: #fff; text-align: center; }
summary b.takes { background: #6b3fa0; }
summary b.gives { background: #0b6e6e; }
summary code { font-size: 15px; }
details > div { padding: 4px 16px 16px; border-top: 1px solid #c7cad1; }
[id^='schema-'] { scroll-margin-top: 96px; }
`;
