import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, trySync } from '@amodal/kernel'
import { writePrivateFile } from './private-file.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Credentials by the origin of their server, such as `https://agent.example.com`. */
const Stored = z.object({ servers: z.record(z.string(), z.object({ credential: z.string() })) })
type Servers = z.output<typeof Stored>['servers']

/**
 * Where a person's credentials for servers are: `amodal/credentials.json` of the folder for
 * settings; `undefined` where the environment names no home.
 *
 * @param env of the process
 * @example
 * credentialsFile({ HOME: '/home/olga' }) // '/home/olga/.config/amodal/credentials.json'
 */
export function credentialsFile(env: Env): string | undefined {
  const { APPDATA, HOME, USERPROFILE, XDG_CONFIG_HOME } = env
  const home = HOME ?? USERPROFILE
  const folder =
    XDG_CONFIG_HOME ?? APPDATA ?? (home === undefined ? undefined : join(home, '.config'))
  return folder === undefined ? undefined : join(folder, 'amodal', 'credentials.json')
}

/**
 * The credential that a person has stored for a server; `undefined` where there is none, or the
 * file cannot be read.
 *
 * @param url of the server; its origin counts
 * @example
 * storedCredential(process.env, 'https://agent.example.com/chat')
 */
export function storedCredential(env: Env, url: string): string | undefined {
  const file = credentialsFile(env)
  const origin = originOf(url)
  return file === undefined || origin === undefined
    ? undefined
    : serversIn(file)[origin]?.credential
}

/**
 * Stores a credential for a server, or removes it.
 *
 * @param file of {@link credentialsFile}
 * @param credential `undefined` removes it
 * @returns whether there was one before
 * @throws what the file system says where the file cannot be written
 * @example
 * storeCredential(file, 'https://agent.example.com', key)
 */
export function storeCredential(
  file: string,
  url: string,
  credential: string | undefined,
): boolean {
  const origin = originOf(url) ?? url
  const { [origin]: present, ...others } = serversIn(file)
  const servers = credential === undefined ? others : { ...others, [origin]: { credential } }
  if (credential !== undefined || present)
    writePrivateFile(file, `${JSON.stringify({ servers }, null, 2)}\n`)
  return present !== undefined
}

/**
 * The origins of the servers that a person has stored a credential for.
 *
 * @param file of {@link credentialsFile}
 * @example
 * storedServers(file) // ['https://agent.example.com']
 */
export const storedServers = (file: string): readonly string[] => Object.keys(serversIn(file))

function serversIn(file: string): Servers {
  const read = trySync(() => Stored.parse(JSON.parse(readFileSync(file, 'utf8'))), messageOf)
  return read.ok ? read.value.servers : {}
}

function originOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.origin : undefined
}
