/** The one style sheet of a report: both themes, print, narrow screens. Contrast is at least 4.5:1 in both themes. */
export const style = `
:root{color-scheme:light;--bg:#ffffff;--card:#f6f8fa;--text:#1b1f24;--faint:#59636e;--line:#d5dae0;--good:#116329;--warn:#7a4d00;--bad:#b3261e;--link:#0059a3}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--bg:#15191e;--card:#1d232a;--text:#e8ebee;--faint:#a3adb8;--line:#39424c;--good:#5fd38a;--warn:#f0b95b;--bad:#ff8a80;--link:#7cc0f5}}
:root[data-theme=dark]{color-scheme:dark;--bg:#15191e;--card:#1d232a;--text:#e8ebee;--faint:#a3adb8;--line:#39424c;--good:#5fd38a;--warn:#f0b95b;--bad:#ff8a80;--link:#7cc0f5}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC","Noto Sans SC",sans-serif}
html[data-lang=en] [lang=zh],html[data-lang=zh] [lang=en]{display:none}
header,main,footer{max-width:1180px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;gap:12px;align-items:baseline;justify-content:space-between;padding-top:24px}
h1{font-size:1.6rem;margin:0;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:36px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}
h3{font-size:1.05rem;margin:20px 0 6px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--card);padding:8px}
nav{margin:8px 0 0}nav a{margin-right:14px}
a{color:var(--link)}
button{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:4px 12px;cursor:pointer}
button:focus-visible,a:focus-visible,.scroll:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.verdict{border-left:6px solid var(--good);background:var(--card);padding:14px 18px;border-radius:6px;margin-top:18px}
.verdict.warn{border-color:var(--warn)}.verdict.bad{border-color:var(--bad)}
.verdict p{margin:4px 0}.verdict strong{font-size:1.15rem}
.good{color:var(--good)}.warnword{color:var(--warn)}.badword{color:var(--bad)}
.faint{color:var(--faint)}
.tiles{display:flex;flex-wrap:wrap;gap:8px;margin:8px 0}.tiles p{border:1px solid var(--line);border-radius:6px;padding:4px 12px;background:var(--bg);font-weight:600}
.forest h2{border:0;margin-bottom:2px}.forest ol{list-style:none;margin:0;padding:0}
.forest li{display:grid;grid-template-columns:170px minmax(100px,1fr) 76px 170px;gap:0 10px;align-items:center;color:var(--faint)}
.forest li span:first-child{color:var(--text)}.forest li strong{text-align:right}.forest .better{color:var(--good)}.forest .worse{color:var(--bad)}
.track{position:relative;height:24px}.track i{position:absolute;background:currentColor}.track .zero{top:0;bottom:0;width:1px;background:var(--line)}
.track .span{top:11px;height:2px;min-width:2px}.track .dot{top:7px;width:10px;height:10px;margin-left:-5px;border-radius:50%}
@media (max-width:700px){.forest li{grid-template-columns:1fr auto;margin-bottom:6px}.forest .track{grid-column:1/-1;grid-row:2;margin:0 6px}}
.scroll{overflow-x:auto;margin:10px 0}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;min-width:50%}
caption{text-align:left;color:var(--faint);padding:4px 0}
th,td{border-bottom:1px solid var(--line);padding:5px 12px;text-align:right;white-space:nowrap}
th:first-child,td:first-child,#comparison td:nth-child(2),#comparison th:nth-child(2){text-align:left}thead th{border-bottom:2px solid var(--line)}
figure{margin:16px 0;border:1px solid var(--line);border-radius:6px;overflow:hidden}
figure .plot{width:100%;min-height:260px}
figcaption{padding:6px 16px 10px;color:var(--faint);font-size:.9rem}
.finding{border-left:4px solid var(--line);padding:4px 14px;margin:10px 0;overflow-wrap:anywhere}
.finding.invalid{border-color:var(--bad)}.finding.warn{border-color:var(--warn)}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:12px;overflow:auto;font-size:.85rem;max-height:480px;white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(140px,auto) 1fr;gap:4px 16px}dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
footer{color:var(--faint);font-size:.85rem;padding:28px 20px}
@media print{:root,:root[data-theme]{--bg:#fff;--card:#fff;--text:#000;--faint:#444;--line:#bbb}button,nav,.skip{display:none}header,main,footer{max-width:none}figure,.finding,table{break-inside:avoid}pre{max-height:none}details>*{display:block}}
`.replaceAll('\n', '');
