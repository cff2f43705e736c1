/** The style of a restored session's page. */
export const restoredPageStyle = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0;
--box: #f6f8fa; --you: #0969da; --agent: #8250df; --bar: #9a6700; --barGround: #fff8c5; --error: #d1242f; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d;
--box: #161b22; --you: #4493f8; --agent: #ab7df8; --bar: #d29922; --barGround: #2e2a1f; --error: #f85149; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 56rem; background: var(--ground); color: var(--text);
font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 1rem; }
dl { display: grid; gap: .15rem; margin: 0 0 1rem; font-size: .9rem; }
dl div { display: grid; grid-template-columns: 8rem 1fr; }
dt, time, .hint { color: var(--quiet); }
dd { margin: 0; }
time, .hint { font-size: .8rem; font-weight: normal; }
article { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .9rem 0; }
article.added { margin: .3rem 0; }
article.user { border-color: var(--you); }
article.assistant { border-color: var(--agent); }
article.error { border-color: var(--error); }
article.user .author { color: var(--you); }
article.assistant .author { color: var(--agent); }
article.error .author { color: var(--error); }
h2 { font-size: .95rem; margin: 0 0 .3rem; }
.text { white-space: pre-wrap; margin: .3rem 0; }
pre { white-space: pre-wrap; margin: .4rem 0; padding: .6rem .8rem; background: var(--box); border: 1px solid var(--line);
border-radius: 6px; font: 13px/1.45 ui-monospace, monospace; }
summary { cursor: pointer; }
details.part > summary, details.call > summary, article.added > details > summary { font-size: .88rem; }
details.part > summary { color: var(--quiet); }
details.call > summary { font-family: ui-monospace, monospace; font-size: .82rem; }
article.added .text { font: 13px/1.45 ui-monospace, monospace; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; }
.bar { margin: 1.6rem 0; padding: .5rem .9rem; border: 1px solid var(--bar); border-radius: 6px;
background: var(--barGround); color: var(--text); font-size: .9rem; }
.bar p { margin: 0; }
.abandoned { border-left: 3px dashed var(--line); padding-left: 1rem; }
.abandoned article { opacity: .75; }
.contents { margin: 0 0 1.5rem; font-size: .9rem; }
.contents .compacted { list-style: none; }
a { color: var(--you); }
.compacted a { color: var(--bar); }
`;
