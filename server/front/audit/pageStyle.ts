/** The CSS of the audit page: colours of both themes as variables, then the layout. */
export const pageStyle = `
:root{--paper:#fff;--ink:#1c2024;--faint:#60646c;--line:#e3e5e8;--warn:#8a4b00;
--cacheReads:#2f6fde;--growth:#0b8a9c;--newInput:#5aa9b8;--expiry:#cf3b3b;--changedPrefix:#a03fbf;
--compaction:#b07a00;--coldStart:#7a8290;--output:#2b8a3e;--subAgents:#c2478a}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e8eb;--faint:#9ba1a9;--line:#2c3138;--warn:#f0b35a;
--cacheReads:#6ea0ff;--growth:#3fc1d3;--newInput:#8fd0dc;--expiry:#ff7b7b;--changedPrefix:#d48bec;
--compaction:#e3b341;--coldStart:#a0a8b4;--output:#5fc878;--subAgents:#f08bc0}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:28px 20px 48px}
h1{font-size:44px;line-height:1.1;margin:4px 0}
h2{font-size:17px;margin:32px 0 8px}
p{margin:4px 0}
.scope,small,.share,.time{color:var(--faint)}
.warning{color:var(--warn)}
table{width:100%;border-collapse:collapse}
th,td{padding:5px 10px 5px 0;text-align:left;vertical-align:top;border-top:1px solid var(--line);font-weight:400}
tr:first-child>*{border-top:0}
.moments tr:first-child th{color:var(--faint);font-size:13px}
small{display:block;font-size:12.5px;overflow-wrap:anywhere}
.bar{width:30%;padding-top:9px}
.bar svg{display:block;width:100%;height:12px}
.figure,.share{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.figure{font-weight:600}
.time{white-space:nowrap}
.advice{width:34%}
.days{display:block;width:100%;height:auto}
.days text{fill:var(--faint);font-size:12px;text-anchor:middle}
.days .first{text-anchor:start}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:0 32px}
.columns th{overflow-wrap:anywhere}
.columns .bar{width:26%}
rect{fill:var(--cacheReads)}
.dot{display:inline-block;width:10px;height:10px;border-radius:5px;margin-right:7px;background:var(--cacheReads)}
${['growth', 'newInput', 'expiry', 'changedPrefix', 'compaction', 'coldStart', 'output', 'subAgents']
	.map((cause) => `rect.${cause}{fill:var(--${cause})}.dot.${cause}{background:var(--${cause})}`)
	.join('\n')}
@media (max-width:640px){.bar,.advice{display:none}}
`;
