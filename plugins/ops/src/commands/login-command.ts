import { messageOf, timeLimit, tryAsync, trySync, type Command } from '@amodal/sdk'
import { credentialsFile, fileFailure, storeCredential, storedServers } from '@amodal/sdk/files'
import { readSecret } from '../read-secret.ts'
import { failed } from './report.ts'

/** ms for the server to answer. */
const ANSWER_MS = 15_000

/** A route that every server has, and that any credential is good for. */
const ROUTE = '/openapi.json'

const WEB = /^https?:$/

/** The origin of `--url`; `undefined` where that is no address of a server. */
const originOf = (url: unknown): string | undefined => {
  const parsed = typeof url === 'string' ? URL.parse(url) : undefined
  return parsed && WEB.test(parsed.protocol) ? parsed.origin : undefined
}

/** `amodal auth login --url URL`. */
export const loginCommand: Command = {
  summary: 'Store a key or a token for a server',
  usage: 'amodal auth login --url URL',
  about: [
    'Asks for the key, or reads it from the standard input, and asks the server whether it is good. It is stored in your folder for settings,',
    'readable by you alone. Commands that take --url send it to that server and to no other; AMODAL_CREDENTIAL counts before it.',
  ],
  examples: [
    ['amodal auth login --url https://agent.example.com', 'asks for the key'],
    ['amodal chat --url https://agent.example.com', 'uses it'],
  ],
  options: { url: { type: 'string', description: 'The server' } },
  async run(context) {
    const { options, arguments: words, env, fail, print, signal } = context
    const origin = originOf(options['url'])
    if (origin === undefined || words.length > 0) {
      fail('name the server: amodal auth login --url https://agent.example.com')
      return 2
    }
    const file = credentialsFile(env)
    if (file === undefined) {
      fail('there is no folder for settings: HOME and XDG_CONFIG_HOME are not set')
      return 1
    }
    const credential = (await readSecret(`Key or token for ${origin}`, context))?.trim()
    if (credential === undefined || credential === '') {
      fail('nothing was entered: type the key, or give it on the standard input')
      return 1
    }
    const refused = await whyRefused(origin, credential, signal)
    if (refused !== undefined) {
      fail(refused)
      return 1
    }
    const stored = trySync(
      () => storeCredential(file, origin, credential),
      (cause) => fileFailure(file, file, cause),
    )
    if (!stored.ok) return failed(fail, stored.error)
    print(`Logged in to ${origin}; the key is in ${file}`)
    return 0
  },
}

/** `amodal auth logout [--url URL]`. */
export const logoutCommand: Command = {
  summary: 'Remove the key that is stored for a server',
  usage: 'amodal auth logout --url URL',
  about: [
    'The key itself stays valid until it is revoked: `amodal ops keys revoke` on the server does that.',
  ],
  examples: [['amodal auth logout --url https://agent.example.com', 'removes it']],
  options: { url: { type: 'string', description: 'The server' } },
  run({ options, arguments: words, env, fail, print }) {
    const origin = originOf(options['url'])
    const file = credentialsFile(env)
    if (origin === undefined || words.length > 0) {
      const known = file === undefined ? [] : storedServers(file)
      fail(
        `name the server: amodal auth logout --url URL${known.length > 0 ? ` (stored: ${known.join(', ')})` : ''}`,
      )
      return Promise.resolve(2)
    }
    if (file === undefined) return Promise.resolve(notLoggedIn(fail, origin))
    const removed = trySync(
      () => storeCredential(file, origin, undefined),
      (cause) => fileFailure(file, file, cause),
    )
    if (!removed.ok) return Promise.resolve(failed(fail, removed.error))
    if (!removed.value) return Promise.resolve(notLoggedIn(fail, origin))
    print(`Logged out of ${origin}`)
    return Promise.resolve(0)
  },
}

function notLoggedIn(fail: (line: string) => void, origin: string): 1 {
  fail(`NOT_FOUND: no key is stored for ${origin}`)
  return 1
}

/** Why a server does not take a credential; it also has to refuse requests without one. */
async function whyRefused(
  origin: string,
  credential: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const status = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(new URL(ROUTE, origin), {
      headers,
      redirect: 'error',
      signal: timeLimit(ANSWER_MS, `asking ${origin}`, signal),
    })
    await response.body?.cancel()
    return response.status
  }
  const answered = await tryAsync(
    async () => [await status({}), await status({ authorization: `Bearer ${credential}` })],
    messageOf,
  )
  if (!answered.ok) return `OUTBOUND_FAILED: ${origin} cannot be asked: ${answered.error}`
  const [without, withKey] = answered.value
  if (without === 200) return `${origin} answers without a key: there is nothing to log in to`
  if (withKey === 200) return undefined
  if (withKey === 401) return `UNAUTHENTICATED: ${origin} does not know this key`
  return `${origin} answered with ${String(withKey)}: is this a server of Amodal?`
}
