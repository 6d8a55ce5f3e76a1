import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { err, messageOf, ok, tryAsync, type Result } from '@amodal/sdk'
import type { RegistryContext } from './registry-context.ts'

const run = promisify(execFile)
const LIMIT_MS = 30_000

/** Where a registry is, and how to sign in there. */
export interface RegistryPlace {
  /** Without a slash at its end. */
  readonly url: string
  /** The header for an address, where there is a credential for it. */
  readonly authorization: (address: string) => string | undefined
}

/**
 * The registry of a package by the settings of npm: those of the user, of the agent folder and of
 * the environment. Where none of them names one, npm itself is asked.
 *
 * @param name of a package, whose scope may have a registry of its own
 */
export async function registryPlace(
  name: string,
  { root, env, signal }: Pick<RegistryContext, 'root' | 'env' | 'signal'>,
): Promise<Result<RegistryPlace, string>> {
  const home = env['HOME'] ?? env['USERPROFILE']
  const settings: Readonly<Record<string, string>> = {
    ...(home !== undefined && (await settingsIn(join(home, '.npmrc'), env))),
    ...(await settingsIn(join(root, '.npmrc'), env)),
  }
  const scope = name.startsWith('@') ? name.split('/')[0] : undefined
  const configured =
    (scope === undefined ? undefined : settings[`${scope}:registry`]) ??
    env['npm_config_registry'] ??
    settings['registry']
  const url = configured === undefined ? await askNpm(root, env, signal) : ok(configured)
  if (!url.ok) return url
  const parsed = URL.parse(url.value.trim())
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return err(`"${url.value}" is no registry`)
  return ok({
    url: parsed.href.replace(/\/+$/, ''),
    authorization: (address) => authorizationFor(address, settings),
  })
}

async function askNpm(
  root: string,
  env: RegistryContext['env'],
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const isWindows = process.platform === 'win32'
  const registry = await tryAsync(
    () =>
      run(isWindows ? 'npm.cmd' : 'npm', ['config', 'get', 'registry'], {
        cwd: root,
        env: { ...env },
        shell: isWindows, // the only way to run a .cmd
        timeout: LIMIT_MS,
        signal,
      }),
    messageOf,
  )
  return registry.ok
    ? ok(registry.value.stdout)
    : err(`no registry is set, and npm cannot be asked for one: ${registry.error}`)
}

/** The credential whose address is the longest beginning of another, as npm chooses it. */
function authorizationFor(
  address: string,
  settings: Readonly<Record<string, string>>,
): string | undefined {
  const place = address.replace(/^https?:/, '')
  const keys = Object.keys(settings)
    .filter((key) => key.startsWith('//'))
    .map((key) => ({ key, at: key.slice(0, key.lastIndexOf(':')) }))
    .filter(({ at }) => place.startsWith(at.endsWith('/') ? at : `${at}/`))
    .toSorted((a, b) => b.at.length - a.at.length)
  for (const { key } of keys) {
    if (key.endsWith(':_authToken')) return `Bearer ${settings[key] ?? ''}`
    if (key.endsWith(':_auth')) return `Basic ${settings[key] ?? ''}`
  }
  return undefined
}

async function settingsIn(
  file: string,
  env: RegistryContext['env'],
): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, key, value = ''] = /^\s*([^;#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key === undefined) return []
    return [[key, value.replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '')] as const]
  })
  return Object.fromEntries(pairs)
}
