import { definePlugin, type Plugin } from '@amodal/sdk'
import { build } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the page is. */
export const PAGE = '/live-board'

interface Built {
  readonly html: string
  readonly script: string
}

/** Bundles the page for browsers. */
export async function bundle(): Promise<Built> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    minify: true,
    // chunks of the client that hold nothing for browsers
    logOverride: { 'ignored-bare-import': 'silent' },
    write: false,
  })
  return {
    html: await readFile(join(import.meta.dirname, 'page.html'), 'utf8'),
    script: outputFiles[0]?.text ?? '',
  }
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'"

/** Serves the page from the agent's own server, so that no origin has to be allowed. */
export const page = ({ html, script }: Built): Plugin =>
  definePlugin({
    name: 'live-board-page',
    version: '1.0.0',
    setup({ hooks }) {
      hooks.http.routes.tap((table) => {
        const serve = (body: string, type: string) => ({
          fetch: () =>
            new Response(body, {
              headers: { 'content-type': type, 'content-security-policy': POLICY },
            }),
        })
        table.mount(PAGE, serve(html, 'text/html'), { open: true, exact: true })
        table.mount(`${PAGE}/page.js`, serve(script, 'text/javascript'), {
          open: true,
          exact: true,
        })
      })
    },
  })
