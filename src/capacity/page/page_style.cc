#include "capacity/page/page_style.h"

namespace tutti::capacity {

const std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d8dee6;--back:#fff;
--panel:#f6f8fa;--free:#fff;--other:#9aa7b5;--bad:#c0392b;--warn:#b9770e;--good:#1e8449}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#9aa6b4;--line:#39424e;--back:#14181d;
--panel:#1c222a;--free:#20272f;--other:#5d6a78;--bad:#ff7b6b;--warn:#e5b25d;--good:#6fcf97}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1500px;padding:24px;background:var(--back);color:var(--ink);
font:14px/1.45 system-ui,sans-serif}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:32px 0 8px}
p{margin:4px 0 8px;color:var(--soft);max-width:90ch}
table{border-collapse:collapse;width:100%}
th{text-align:left;font-weight:600;color:var(--soft);font-size:12px}
th,td{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font:12px ui-monospace,monospace}
td:first-child{white-space:nowrap}
.scroll{overflow-x:auto}
.answers{display:flex;flex-wrap:wrap;gap:8px 28px;margin:12px 0}
.answers div{color:var(--soft)}.answers strong{display:block;font-size:22px;color:var(--ink)}
@media(max-width:600px){body{padding:12px}td:first-child{white-space:normal;overflow-wrap:anywhere}
.bar{min-width:90px}table{display:block;overflow-x:auto}}
.map{display:flex;flex-wrap:wrap;gap:14px;align-items:flex-start}
.outer{border:1px solid var(--line);border-radius:6px;padding:8px 10px;background:var(--panel)}
.outer>.name{font-weight:600;font-size:12px;margin-bottom:6px}
.racks{display:flex;flex-wrap:wrap;gap:8px}
.rack .name{font-size:11px;color:var(--soft);max-width:120px;overflow:hidden;text-overflow:ellipsis;
white-space:nowrap}
svg{display:block}
rect.tile{fill:var(--free);stroke:var(--line);stroke-width:1}
rect.idle{fill:url(#hatch)}
.holders{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;padding:0;margin:10px 0;
font-size:12px}
.holders li{cursor:default}
.swatch{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:5px;
vertical-align:-1px;border:1px solid var(--line)}
.bar{display:flex;height:18px;border-radius:3px;overflow:hidden;border:1px solid var(--line);
min-width:260px}
.bar>span{display:block;height:100%}
.held{background:#4a7fb5}.incomplete{background:var(--bad)}.usable{background:#58b27c}
.unusable{background:repeating-linear-gradient(45deg,var(--warn) 0 3px,transparent 3px 7px)}
.meter{display:inline-block;height:10px;background:#58b27c;border-radius:2px;vertical-align:-1px;
margin-right:6px;min-width:1px}
.strip{display:flex;gap:1px;align-items:flex-end;height:26px}
.strip i{display:block;width:6px;background:#58b27c}
.badge{display:inline-block;padding:0 7px;border-radius:9px;font-size:12px;
border:1px solid var(--line);background:var(--panel);white-space:nowrap}
input{font:inherit;padding:4px 8px;border:1px solid var(--line);border-radius:4px;
background:var(--back);color:inherit;margin:0 0 8px}
.map.dim rect.h{opacity:.15}.map.dim rect.lit{opacity:1}
)css";

const std::string_view kScript = R"js(
const map=document.querySelector('.map');
for(const item of document.querySelectorAll('[data-holder]')){
  const lit=on=>{map.classList.toggle('dim',on);
    for(const r of map.querySelectorAll('.h'+item.dataset.holder))r.classList.toggle('lit',on)};
  item.addEventListener('mouseenter',()=>lit(true));
  item.addEventListener('mouseleave',()=>lit(false));
}
const filter=document.getElementById('filter');
if(filter)filter.addEventListener('input',()=>{
  const word=filter.value.toLowerCase();
  for(const row of document.querySelectorAll('#queue tbody tr'))
    row.hidden=!row.textContent.toLowerCase().includes(word);
});
)js";

}  // namespace tutti::capacity
