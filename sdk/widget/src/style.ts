/** The looks of the widget. A page changes the variables, and parts by their names. */
export const STYLE = `
:host{display:block;--p:var(--pcw-primary,#4f46e5);--pt:var(--pcw-primary-text,#fff);--bg:var(--pcw-background,#fff);--fg:var(--pcw-text,#1a1a1a);--mu:var(--pcw-muted,#5c5c66);--bo:var(--pcw-border,#d9d9e0);--su:var(--pcw-surface,#f4f4f7);--da:var(--pcw-danger,#b42318);--r:var(--pcw-radius,12px);font:15px/1.5 var(--pcw-font,system-ui,sans-serif)}
:host([theme=dark]){--p:var(--pcw-primary,#8b83ff);--pt:var(--pcw-primary-text,#111);--bg:var(--pcw-background,#18181b);--fg:var(--pcw-text,#f4f4f5);--mu:var(--pcw-muted,#a1a1aa);--bo:var(--pcw-border,#3f3f46);--su:var(--pcw-surface,#27272a);--da:var(--pcw-danger,#ff8a80)}
:host([position=inline]){height:100%;min-height:0}
*{box-sizing:border-box}
[hidden],.hidden{display:none!important}
.hidden{display:block!important;position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.panel{display:flex;flex-direction:column;height:100%;min-height:0;overflow:hidden;position:relative;color:var(--fg);background:var(--bg);border:1px solid var(--bo);border-radius:var(--r)}
:host(:not([position])) .panel,:host([position=floating]) .panel,.toggle{position:fixed;z-index:2147483000;inset-block-end:16px;inset-inline-end:16px;box-shadow:0 8px 32px #0003}
:host(:not([position])) .panel,:host([position=floating]) .panel{width:min(400px,calc(100vw - 32px));height:min(640px,calc(100dvh - 32px))}
:host([position=right]) .panel{position:fixed;z-index:2147483000;inset-block:0;inset-inline-end:0;width:min(420px,100vw);border-radius:0}
:host([position=bottom]) .panel{position:fixed;z-index:2147483000;inset-inline:0;bottom:0;height:min(420px,100dvh);border-radius:0}
.toggle.toggle{padding:12px 20px;border:0;border-radius:99px;color:var(--pt);background:var(--p)}
header{display:flex;align-items:center;gap:4px;padding:8px 16px;border-bottom:1px solid var(--bo)}
h2{flex:1;margin:0;font-size:16px}
header button{border-color:transparent;min-width:36px}
.welcome{margin:16px 16px 0;color:var(--mu)}
.log{flex:1;min-height:0;overflow-y:auto;padding:16px;display:flex;flex-direction:column;gap:12px;overflow-wrap:anywhere}
.log>:empty{display:none}
.user{align-self:flex-end;max-width:85%;padding:8px 12px;border-radius:var(--r);background:var(--su);white-space:pre-wrap}
small,.thought,.call,.welcome{color:var(--mu);font-size:13px}
.user small{display:block}
p,dl,ul,ol,pre,h3,blockquote{margin:0 0 8px}
.log *>:last-child{margin-bottom:0}
h3{font-size:15px}
[data-level='1']{font-size:18px}
[data-level='2']{font-size:16px}
pre{overflow:auto;max-height:240px;padding:8px;border-radius:6px;background:var(--su);font-size:13px}
.text pre{max-height:none}
code{font-family:ui-monospace,monospace;font-size:.92em}
blockquote{padding-inline-start:12px;border-inline-start:3px solid var(--bo)}
a{color:var(--p)}
table{border-collapse:collapse}
td,th{padding:4px 8px;border:1px solid var(--bo);text-align:start;vertical-align:top}
.scroll{overflow-x:auto;margin-bottom:8px}
summary{cursor:pointer}
.card{padding:12px;border:1px solid var(--bo);border-radius:var(--r)}
.card[data-open=true]{border-color:var(--p)}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px}
dt{color:var(--mu)}
dd,.plain{margin:0;white-space:pre-wrap}
form,fieldset,label{display:grid;gap:8px;margin:0}
.buttons{display:flex;flex-wrap:wrap;gap:8px;margin-top:8px}
.check{display:flex}
button,textarea,input,select{max-width:100%;min-height:36px;padding:6px 12px;border:1px solid var(--bo);border-radius:calc(var(--r)/2);color:inherit;background:var(--bg);font:inherit}
.check input{min-height:0}
textarea{flex:1 1 100%;min-width:0;resize:none;field-sizing:content;max-height:160px}
button{cursor:pointer}
button:disabled{opacity:.5;cursor:default}
.primary{color:var(--pt);background:var(--p);border-color:var(--p)}
:focus-visible{outline:2px solid var(--p);outline-offset:2px}
.notices{padding:0 16px;font-size:13px}
.notices:empty{display:none}
.notices button{margin-inline-start:8px}
.note[data-tone=error],.chip[data-state=failed]{color:var(--da)}
.composer{display:flex;flex-wrap:wrap;align-items:end;gap:8px;padding:12px 16px;border-top:1px solid var(--bo)}
.composer textarea{flex-basis:0}
.chips{display:flex;flex-wrap:wrap;gap:8px;flex-basis:100%}
.chips:empty{display:none}
.chip{font-size:13px}
.thinking{display:flex;gap:4px;padding:0 16px 12px}
.thinking i{width:6px;height:6px;border-radius:50%;background:var(--mu);animation:p 1.2s infinite}
.thinking i+i{animation-delay:.15s}
.thinking i+i+i{animation-delay:.3s}
@keyframes p{50%{opacity:.2}}
@media (prefers-reduced-motion:reduce){.thinking i{animation:none}}
@media (max-width:480px){:host(:not([position])) .panel,:host([position=floating]) .panel{inset:0;width:100vw;height:100dvh;border-radius:0}}
`
