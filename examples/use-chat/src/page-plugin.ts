import { definePlugin, type Plugin } from '@amodal/sdk'
import { build } from 'esbuild'
import { join } from 'node:path'

/** Where the page is. */
export const PAGE = '/use-chat'

/** Bundles the page for browsers. @returns a module */
export async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.tsx')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    minify: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>useChat</title>
<style>
body { font: 16px/1.5 system-ui; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
.user { text-align: right; color: #246 }
.tool { border-left: 3px solid #ccc; padding-left: 1rem; margin: 1rem 0 }
input { width: 70%; font: inherit }
button { font: inherit }
</style>
<div id="root"></div>
<script type="module" src="${PAGE}/page.js"></script>
</html>
`

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:"

/** Serves the page from the agent's own server, so that no origin has to be allowed. */
export const page = (script: string): Plugin =>
  definePlugin({
    name: 'use-chat-page',
    version: '1.0.0',
    setup({ hooks }) {
      hooks.http.routes.tap((table) => {
        const serve = (body: string, type: string) => ({
          fetch: () =>
            new Response(body, {
              headers: { 'content-type': type, 'content-security-policy': POLICY },
            }),
        })
        table.mount(PAGE, serve(HTML, 'text/html'), { open: true, exact: true })
        table.mount(`${PAGE}/page.js`, serve(script, 'text/javascript'), {
          open: true,
          exact: true,
        })
      })
    },
  })
