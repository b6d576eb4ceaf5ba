#include "replay/page/page.h"

namespace tutti::replay {

const std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d8dee6;--back:#fff;
--panel:#f6f8fa;--c0:#2f6fab;--c1:#c2571a;--c2:#2e8b57;--c3:#8e44ad;--c4:#b8860b;--c5:#c0392b;
--c6:#16808a;--c7:#6b6b6b}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#9aa6b4;--line:#39424e;--back:#14181d;
--panel:#1c222a;--c0:#6fb1ec;--c1:#f29b5d;--c2:#6fcf97;--c3:#c79be0;--c4:#e5c15d;--c5:#ff7b6b;
--c6:#5fc9d3;--c7:#b0b0b0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1500px;padding:24px;background:var(--back);color:var(--ink);
font:14px/1.45 system-ui,sans-serif}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:32px 0 8px}
p{margin:4px 0 8px;color:var(--soft);max-width:90ch}
table{border-collapse:collapse;display:block;overflow-x:auto}
th{text-align:left;font-weight:600;color:var(--soft);font-size:12px}
th,td{padding:4px 14px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.best{font-weight:700}
code{font:12px ui-monospace,monospace;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,520px),1fr));gap:20px}
figure{margin:0;padding:12px;border:1px solid var(--line);border-radius:6px;background:var(--panel)}
figcaption{font-weight:600;margin-bottom:6px}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--soft);font-size:11px}
.grid{stroke:var(--line);stroke-width:1;fill:none}
.line{fill:none;stroke-width:1.8;stroke:currentColor;stroke-linejoin:round}
.dashed{stroke-dasharray:5 4}
.dot{fill:currentColor}
.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}
.c4{color:var(--c4)}.c5{color:var(--c5)}.c6{color:var(--c6)}.c7{color:var(--c7)}
.key{display:flex;flex-wrap:wrap;gap:2px 16px;margin:6px 0 0;font-size:12px}
.key i{display:inline-block;width:18px;height:3px;background:currentColor;margin-right:6px;
vertical-align:4px}
.bar{display:flex;height:18px;width:min(46vw,520px);border-radius:3px;overflow:hidden;
border:1px solid var(--line)}
.bar>span{display:block;height:100%;background:currentColor}
)css";

}  // namespace tutti::replay
