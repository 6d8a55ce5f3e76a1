import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'

const PAGES = join(import.meta.dirname, '../pages')

/** Where the agent is, and the key of this backend for it. */
export interface AgentAccess {
  readonly url: string
  readonly key: string
}

export interface Host extends AsyncDisposable {
  readonly url: string
  /** Known once the agent runs, which needs the origin of this host. */
  agent: AgentAccess
}

/** The site of a shop: four pages with a chat, and the token of whoever has signed in. */
export async function startHost(port = 0): Promise<Host> {
  const scripts: Readonly<Record<string, string>> = {
    '/react.js': await bundle('react-app.tsx'),
    '/vue.js': await bundle('vue-app.ts'),
  }
  const host = { agent: { url: '', key: '' } }
  const server = createServer((request, response) => {
    answer(request, response, host.agent, scripts).catch((cause: unknown) => {
      response.writeHead(502).end(String(cause))
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(host, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  agent: AgentAccess,
  scripts: Readonly<Record<string, string>>,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://host')
  if (pathname === '/agent-token' && request.method === 'POST') {
    const token = await tokenOf(signedIn(request), agent, `http://${request.headers.host}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(token)
    return
  }
  const script = scripts[pathname]
  if (script !== undefined) {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    return
  }
  if (pathname === '/shop.css') {
    response.writeHead(200, { 'content-type': 'text/css' })
    response.end(await readFile(join(PAGES, 'shop.css')))
    return
  }
  await sendPage(pathname, response, agent.url)
}

const FILES: Readonly<Record<string, string>> = {
  '/': 'tag.html',
  '/element': 'element.html',
  '/react': 'app.html',
  '/vue': 'app.html',
}

/** The pages have a policy as strict as pages can have: the widget needs no exception of it. */
async function sendPage(path: string, response: ServerResponse, agent: string): Promise<void> {
  const file = FILES[path]
  if (file === undefined) {
    response.writeHead(404).end()
    return
  }
  const page = await readFile(join(PAGES, file), 'utf8')
  const script = `${path}.js?agent=${encodeURIComponent(agent)}`
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${agent}`,
      "style-src 'self'",
      `connect-src 'self' ${agent}`,
      "require-trusted-types-for 'script'",
      'trusted-types vue',
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
  })
  response.end(page.replaceAll('%AGENT%', agent).replaceAll('%SCRIPT%', script))
}

/** A shop looks up its session here. This one takes the name out of a cookie, for trying it. */
const signedIn = ({ headers }: IncomingMessage): string =>
  /\buser=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? 'guest'

/** The key of the backend stays here; the page gets a token of 15 minutes. */
async function tokenOf(user: string, { url, key }: AgentAccess, origin: string): Promise<string> {
  const response = await fetch(`${url}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ user, origin }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the agent gives no token: ${await response.text()}`)
  return response.text()
}

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(PAGES, name)],
    bundle: true,
    write: false,
    format: 'esm',
    minify: true,
    jsx: 'automatic',
    target: 'es2022',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  })
  return outputFiles[0]?.text ?? ''
}
