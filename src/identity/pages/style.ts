import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { PROGRAM_FOLDER } from '../../process/program-folder.ts'

/** Colours and fonts, which all pages and the console share, without comments and spaces. */
function tokens(): string {
  return readFileSync(path.join(PROGRAM_FOLDER, 'browser', 'tokens.css'), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*([{}:;,])\s*/g, '$1')
    .trim()
}

/** The style sheet of all pages. It is inline in each page; the content policy allows its hash. */
export const STYLE = `
${tokens()}
*,*::before,*::after{box-sizing:border-box}
html{font:100%/1.55 var(--sans);background:var(--ground);color:var(--ink);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100svh;display:flex;flex-direction:column;justify-content:center;padding:2rem 1.5rem;overflow-wrap:anywhere}
.page{width:100%;max-width:27rem;margin:0 auto}
.page.mid{max-width:34rem}
.page.wide{max-width:50rem}
.brand{display:flex;align-items:center;gap:.75rem;margin:0 0 1.25rem;color:var(--accent)}
.brand svg{display:block;width:1.4rem;height:1.5rem;flex:none}
.brand span{font:600 .9rem/1 var(--serif);letter-spacing:.22em;padding-top:.14em;text-transform:uppercase;color:var(--ink)}
main{display:block;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:2.5rem;box-shadow:0 1px 2px rgb(20 10 25/.04),0 12px 32px -12px rgb(20 10 25/.12)}
h1{font:500 1.85rem/1.2 var(--serif);letter-spacing:-.012em;margin:0;text-wrap:balance}
h2{font:600 .95rem/1.4 var(--sans);margin:0}
p{margin:0}
p,li{text-wrap:pretty}
h1+p,h1+.prose{margin-top:.75rem}
p+p{margin-top:.75rem}
bdi{font-weight:600}
h1 bdi{font-weight:600}
.soft{color:var(--soft)}
.small{font-size:.9rem;line-height:1.5}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.2em}
a:hover{color:var(--accent-over);text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
form{margin:0}
label{display:block;font-weight:600;font-size:.95rem;margin:1.25rem 0 .4rem}
input{display:block;width:100%;min-height:3rem;padding:.6rem .85rem;font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--edge);border-radius:.375rem}
input:hover{border-color:var(--ink)}
input[aria-invalid=true]{border-color:var(--bad);border-width:2px}
input:focus-visible{outline-offset:0;border-color:var(--accent);border-radius:.375rem}
.alert{margin:1.5rem 0 0;padding:.85rem 1rem;background:var(--bad-ground);border:1px solid var(--bad);border-radius:.375rem}
.alert strong{display:block;color:var(--bad)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.75rem 0 0}
.actions>*{flex:1 1 10rem}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:3rem;padding:.6rem 1.25rem;font:600 1rem/1.3 var(--sans);text-align:center;text-decoration:none;color:var(--ink);background:transparent;border:1px solid var(--edge);border-radius:.375rem;cursor:pointer}
.button:hover{color:var(--ink);background:var(--inset);border-color:var(--ink);text-decoration:none}
.button.first{color:var(--on-accent);background:var(--accent);border-color:var(--accent)}
.button.first:hover{color:var(--on-accent);background:var(--accent-over);border-color:var(--accent-over)}
.button:focus-visible{border-radius:.375rem}
.button.plain{min-height:2.75rem;padding:.4rem .25rem;border-color:transparent;background:none;font-size:.9rem;font-weight:500;color:var(--accent);text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.2em}
.button.plain:hover{color:var(--accent-over);text-decoration:underline;text-decoration-thickness:2px;border-color:transparent}
.decide{margin:1.15rem 0 0;padding:1.5rem 0 0;border-top:1px solid var(--line)}
.decide p+p{margin-top:.35rem}
.account{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem;margin:1.75rem 0 0;padding:.75rem 1rem;background:var(--inset);border-radius:.375rem}
.who{flex:1 1 12rem;min-width:0;display:flex;align-items:center;gap:.8rem;line-height:1.35}
.who bdi{display:block}
.face{position:relative;flex:none;width:2.75rem;height:2.75rem;border-radius:50%;overflow:hidden;display:grid;place-items:center;background:var(--accent);color:var(--on-accent);font:600 1.1rem/1 var(--sans)}
.face img{position:absolute;top:0;left:0;max-width:100%;max-height:100%}
.terms{display:grid;gap:1.15rem 2.5rem;margin:1.75rem 0 0}
.terms ul{list-style:none;margin:.75rem 0 0;padding:0}
.terms li{position:relative;padding:0 0 .6rem 1.75rem;break-inside:avoid;font-size:.95rem;line-height:1.45}
.terms li::before{content:"";position:absolute;left:.25rem;top:.24em;width:.4rem;height:.75rem;border:solid var(--good);border-width:0 2px 2px 0;transform:rotate(42deg)}
.terms .cannot li{color:var(--soft)}
.terms .cannot li::before,.terms .cannot li::after{content:"";position:absolute;left:.1rem;top:.68em;width:.8rem;height:0;border:solid var(--edge);border-width:2px 0 0;transform:rotate(45deg)}
.terms .cannot li::after{transform:rotate(-45deg)}
.pin{margin:1.75rem 0 0;padding:1.5rem 1rem;text-align:center;background:var(--inset);border:1px solid var(--line);border-radius:.375rem}
.pin kbd{display:block;margin:.35rem 0 0;font:inherit}
.pin code{display:inline-block;font:600 2.6rem/1.2 var(--mono);letter-spacing:.12em;margin-right:-.12em;font-variant-numeric:tabular-nums;-webkit-user-select:all;user-select:all}
ol{margin:1.5rem 0 0;padding:0 0 0 1.4rem}
ol li{padding-left:.25rem}
ol li+li{margin-top:.4rem}
ol li::marker{color:var(--soft);font-variant-numeric:tabular-nums}
dl{margin:1.75rem 0 0;border-top:1px solid var(--line)}
dl div{padding:.75rem 0;border-bottom:1px solid var(--line)}
dt{font-size:.85rem;color:var(--soft)}
dd{margin:.1rem 0 0;font:.925rem/1.5 var(--mono)}
.links{list-style:none;margin:1.5rem 0 0;padding:0}
.links a{display:inline-flex;align-items:center;min-height:2.75rem}
.mark{display:block;width:2rem;height:2rem;margin:0 0 1rem;color:var(--soft)}
.mark.bad{color:var(--bad)}
.below{margin:1rem 0 0}
.decide.click .actions{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));margin:1rem 0 0}
.click .button{min-width:0;padding:.5rem .75rem}
.click .button .soft{display:block;font-size:.875rem;font-weight:400}
.click .button>span{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
footer{margin:1.25rem 0 0;color:var(--soft);font-size:.85rem;line-height:1.5}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:44em){
.terms.two{grid-template-columns:1.2fr 1fr}
.terms.long ul{columns:2;column-gap:2.5rem}
.decide{display:flex;align-items:center;gap:1.5rem 2.5rem}
.decide>div{flex:1}
.decide .actions{margin:0}
.decide .button{flex:none;min-width:8rem}
.decide.click{display:block}
.decide.click .button{min-width:0}
}
@media (max-width:34em){
body{justify-content:flex-start;padding:1.25rem;background:var(--card)}
main{border:0;border-radius:0;padding:0;box-shadow:none;background:none}
.brand{margin-bottom:2rem}
h1{font-size:1.65rem}
.account{padding-bottom:.25rem;gap:0}
.account form{margin-left:3.3rem}
.pin code{font-size:clamp(1.6rem,10.5vw,2.6rem)}
footer{margin-top:2rem;padding-top:1.25rem;border-top:1px solid var(--line)}
}
@media (forced-colors:active){
.button,.alert,.pin,.account{border:1px solid}
.terms li::before,.terms .cannot li::after{border-color:CanvasText!important}
}
`

/** For `style-src '…'` in the content policy, without the quotes. */
export const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE, 'utf8').digest('base64')}`
