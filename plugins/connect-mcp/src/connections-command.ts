import { spawn } from 'node:child_process'
import { createServer, type Server as HttpServer } from 'node:http'
import {
  err,
  failure,
  messageOf,
  ok,
  timeLimit,
  tryAsync,
  type Command,
  type CommandContext,
  type Failure,
  type JsonObject,
  type Result,
  within,
} from '@amodal/sdk'
import { askRoutes, type AskRoutes } from '@amodal/plugin-http/tokens'
import { McpConnections } from './tokens.ts'

type Outcome<T> = Promise<Result<T, Failure>>

const VERBS = ['login', 'logout'] as const
const PATH = '/callback'

/** `amodal ops connections`: signs in to MCP servers, and out of them. */
export const connectionsCommand: Command = {
  summary: 'Sign in to MCP servers, and out of them',
  usage:
    'amodal ops connections login NAME [--url URL] [--no-browser] [--port PORT] | logout NAME [--url URL]',
  about: [
    'The browser opens the page of the authorization server, and comes back to this machine. What',
    'it gives is kept in the database, encrypted, and refreshed by the servers that use it. Where a',
    'server of this agent runs, name it with --url: it then uses the login at once.',
  ],
  examples: [
    ['amodal ops connections login github', 'signs in, with the database of this folder'],
    [
      'amodal ops connections login github --url http://127.0.0.1:3847',
      'the same for a server that runs',
    ],
    ['amodal ops connections logout github', 'forgets what was given'],
  ],
  options: {
    url: { type: 'string', description: 'A server that runs' },
    'no-browser': { type: 'boolean', description: 'Print the address, and open nothing' },
    port: { type: 'string', description: 'Port of this machine to come back to (a free one)' },
  },
  async run(context) {
    const [verb, name] = context.arguments
    const known = VERBS.find((one) => one === verb)
    if (!known || name === undefined) {
      context.fail(`say what to do: amodal ops connections ${VERBS.join(' NAME | ')} NAME`)
      return 2
    }
    const ask = await askRoutes(context, (kernel) => kernel.scope.get(McpConnections).routes)
    const done = known === 'login' ? await login(context, ask, name) : await logout(ask, name)
    if (done.ok) {
      context.print(done.value)
      return 0
    }
    context.fail(`${done.error.code}: ${done.error.message}`)
    return 1
  },
}

const pathOf = (name: string): string => `/connections/${encodeURIComponent(name)}/login`

async function logout(ask: AskRoutes, name: string): Outcome<string> {
  const answer = await sent(() => ask('DELETE', pathOf(name)))
  return answer.ok ? ok(`What was given to "${name}" is forgotten.`) : answer
}

async function login(context: CommandContext, ask: AskRoutes, name: string): Outcome<string> {
  const port = Number(context.options['port'] ?? 0)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return err(failure('VALIDATION_ERROR', '--port: is no port'))
  const listening = await tryAsync(() => Return.listen(port), messageOf)
  if (!listening.ok)
    return err(
      failure('OUTBOUND_FAILED', `nobody can come back to this machine: ${listening.error}`),
    )
  const { value: back } = listening
  try {
    const begun = await sent(() => ask('POST', pathOf(name), { redirect_uri: back.url }))
    if (!begun.ok) return begun
    const { url, expires_in: seconds } = begun.value
    if (typeof url !== 'string' || typeof seconds !== 'number')
      return err(failure('TARGET_ERROR', 'the server answered in another form'))
    context.print(`Open this address to sign in to "${name}":\n\n${url}\n`)
    if (context.interactive === true && context.options['no-browser'] !== true) openBrowser(url)
    const limit = timeLimit(seconds * 1_000, `signing in to "${name}"`, context.signal)
    const query = await tryAsync(() => within(back.query, limit), messageOf)
    if (!query.ok) return err(failure('TARGET_ERROR', query.error))
    const done = await sent(() => ask('POST', `${pathOf(name)}/return`, { query: query.value }))
    back.answer(done.ok)
    if (!done.ok) return done
    const { scope, lasting } = done.value
    const rights = typeof scope === 'string' && scope !== '' ? `, with ${scope}` : ''
    const kept =
      lasting === true ? '' : '. It is kept in memory: there is no database that would keep it'
    return ok(`You are signed in to "${name}"${rights}${kept}.`)
  } finally {
    await back.close()
  }
}

/** A page of this machine that the browser comes back to, once. */
class Return {
  readonly url: string
  readonly query: Promise<string>
  readonly #server: HttpServer
  #answer: ((text: string) => void) | undefined

  private constructor(server: HttpServer, url: string) {
    this.#server = server
    this.url = url
    this.query = new Promise((resolve) => {
      server.on('request', (request, response) => {
        const { pathname, search } = new URL(request.url ?? '/', url)
        if (request.method !== 'GET' || pathname !== PATH || this.#answer) {
          response.writeHead(404).end()
          return
        }
        this.#answer = (text) => {
          if (response.headersSent) return
          response
            .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
            .end(text)
        }
        resolve(search.slice(1))
      })
    })
  }

  static listen(port: number): Promise<Return> {
    const server = createServer()
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        const own = typeof address === 'object' && address !== null ? address.port : port
        resolve(new Return(server, `http://127.0.0.1:${own}${PATH}`))
      })
    })
  }

  answer(isSignedIn: boolean): void {
    this.#answer?.(
      isSignedIn
        ? 'You are signed in. You can close this page.\n'
        : 'You are not signed in. The terminal says why.\n',
    )
  }

  close(): Promise<void> {
    this.answer(false)
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeIdleConnections()
    })
  }
}

/** The address is an argument and no command line, so that no shell reads it. */
function openBrowser(url: string): void {
  const [command, ...args] = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }[process.platform as string] ?? ['xdg-open']
  if (command === undefined || !/^https?:\/\//.test(url)) return
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined) // the address is printed as well
  child.unref()
}

async function sent(ask: () => Promise<Response>): Outcome<JsonObject> {
  const answer = await tryAsync(async () => {
    const response = await ask()
    return { isOk: response.ok, text: await response.text() }
  }, messageOf)
  if (!answer.ok) return err(failure('OUTBOUND_FAILED', answer.error))
  const { isOk, text } = answer.value
  // answers of our own routes
  const read = (text === '' ? {} : JSON.parse(text)) as JsonObject & {
    readonly error?: { readonly code?: string; readonly message?: string }
  }
  return isOk
    ? ok(read)
    : err(
        failure('TARGET_ERROR', `${read.error?.code ?? ''} ${read.error?.message ?? text}`.trim()),
      )
}
