import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { parseJson } from '@amodal/sdk/files'
import { mapKinds, type PartCapabilities } from './capability-lists.ts'
import { textOfFile, type Contents } from './contents.ts'
import { yaml } from './libraries.ts'
import { partOf } from './part-names.ts'

type Kind = keyof PartCapabilities

/** Words of `access.json` for what nobody may do. */
const NEVER: ReadonlySet<unknown> = new Set(['never', 'deny', 'hidden'])
const READS = /^(?:GET|HEAD|OPTIONS|QUERY)\s/i

/**
 * What the files of a package reach, as far as files can say it: addresses and variables of its
 * connections, tools and automations, the connections that its handlers name, and what its agents
 * may call. The guards hold calls to what was accepted, so that a handler that makes up a name
 * reaches nothing.
 */
export function usedCapabilities(contents: Contents): PartCapabilities {
  const found = new Found()
  const texts = new Map(
    contents.flatMap((file) => {
      const text = partOf(file.path) === undefined ? undefined : textOfFile(file)
      return text === undefined ? [] : [[file.path, text] as const]
    }),
  )
  for (const [path, text] of texts) {
    const [folder = '', name = ''] = path.split('/')
    const value = path.endsWith('.json') ? valueOf(text) : undefined
    if (value !== undefined) addReferences(value, found)
    if (folder === 'connections') addConnection({ name, path, value, texts }, found)
    else if (folder === 'tools') addTool({ name, path, text, value, texts }, found)
    else if (folder === 'agents') addAgent(path, text, found)
    else if (folder === 'automations' && path.endsWith('.json')) addAutomation(value, found)
    else if (folder === 'pages') found.add('effects', 'page')
  }
  return found.lists()
}

class Found {
  readonly #items = new Map<Kind, string[]>()

  add(kind: Kind, ...items: readonly string[]): void {
    this.#items.set(kind, [...(this.#items.get(kind) ?? []), ...items])
  }

  lists(): PartCapabilities {
    return mapKinds((kind) => this.#items.get(kind) ?? [])
  }
}

type Texts = ReadonlyMap<string, string>

function valueOf(text: string): Json | undefined {
  const json = parseJson(text)
  return json.ok ? json.value.value : undefined
}

/** Addresses and variables that stand anywhere in a JSON file. */
function addReferences(value: Json, found: Found): void {
  for (const text of textsIn(value)) {
    const names = [...text.matchAll(/\benv:([A-Za-z_]\w*)/g)].map(([, name = '']) => name)
    found.add('secrets', ...names)
    const host = hostOf(text)
    if (host !== undefined) found.add('hosts', host)
  }
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

const hostOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  return url && /^(?:https?|wss?):$/.test(url.protocol) ? url.host : undefined
}

interface File {
  readonly name: string
  readonly path: string
  readonly value: Json | undefined
  readonly texts: Texts
}

function addConnection({ name, path, value, texts }: File, found: Found): void {
  found.add('connections', name)
  if (path !== `connections/${name}/spec.json` || !isObject(value)) return
  for (const field of ['baseUrl', 'url', 'specUrl']) {
    const address = value[field]
    if (typeof address === 'string' && address.startsWith('env:')) found.add('hosts', address)
  }
  if (value['protocol'] === 'mcp') {
    found.add('effects', 'write')
    if (value['command'] !== undefined) found.add('effects', 'process')
  } else if (mayWrite(valueOf(texts.get(`connections/${name}/access.json`) ?? '')))
    found.add('effects', 'write')
}

/** Whether rules let anything through that is no read; without rules, writes ask and then run. */
function mayWrite(access: Json | undefined): boolean {
  if (!isObject(access)) return true
  const fallback = access['default']
  const unlisted = isObject(fallback) ? fallback['write'] : fallback
  if (!NEVER.has(unlisted)) return true
  const endpoints = isObject(access['endpoints']) ? access['endpoints'] : {}
  return Object.entries(endpoints).some(([endpoint, rule]) => {
    const tier = isObject(rule) ? (rule['confirm'] ?? rule['policy']) : rule
    return !READS.test(endpoint) && !NEVER.has(tier)
  })
}

function addTool(
  { name, path, text, value, texts }: File & { readonly text: string },
  found: Found,
) {
  if (!path.endsWith('.json')) {
    if (/\.(?:[mc]?[jt]sx?|py)$/.test(path)) addCode(text, found)
    return
  }
  const isTool = path === `tools/${name}` || path === `tools/${name}/tool.json`
  if (!isTool || !isObject(value)) return
  found.add('tools', toolName(name, value))
  found.add('secrets', ...namesIn(value['env']))
  found.add('tools', ...namesIn(value['uses']))
  const calls = [value, ...(isList(value['steps']) ? value['steps'].filter(isObject) : [])]
  for (const { connection, method } of calls) {
    if (typeof connection !== 'string') continue
    found.add('connections', connection)
    if (typeof method === 'string' && !READS.test(`${method} `)) found.add('effects', 'write')
  }
  const hasCode = [...texts.keys()].some((one) =>
    /^handler\.[^/]+$/.test(one.slice(`tools/${name}/`.length)),
  )
  if (hasCode) found.add('effects', 'code')
}

/** The name of a tool, for its file or folder and its tool.json. */
export const toolName = (file: string, value: JsonObject): string =>
  typeof value['name'] === 'string' ? value['name'] : file.replace(/\.json$/, '')

/** Connections that a handler names, and what it may do there. */
function addCode(text: string, found: Found): void {
  found.add('effects', 'code')
  const names = [...text.matchAll(/\brequest\s*\(\s*(['"`])([\w-]+)\1/g)].map(
    ([, , name = '']) => name,
  )
  found.add('connections', ...names)
  const writes = /\bmethod\s*:\s*(['"`])(?!GET\b|HEAD\b|OPTIONS\b)/i.test(text)
  if (names.length > 0 && writes) found.add('effects', 'write')
}

function addAgent(path: string, text: string, found: Found): void {
  if (!/^agents\/(?:[^/]+\/AGENT|[^/]+)\.md$/.test(path)) return
  const frontmatter = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1]
  const fields = frontmatterOf(frontmatter)
  const tools = fields['tools']
  // An agent that lists no tools may use those of the agent that it belongs to.
  found.add('tools', ...(tools === undefined ? ['*'] : namesIn(tools)))
  found.add('connections', ...namesIn(fields['connections']))
}

function frontmatterOf(text: string | undefined): JsonObject {
  try {
    // YAML without tags has the values of JSON
    const value = text === undefined ? undefined : (yaml().parse(text) as Json)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function addAutomation(value: Json | undefined, found: Found): void {
  found.add('effects', 'schedule')
  if (isObject(value) && value['writeEnabled'] === true) found.add('effects', 'unattended-write')
}

const namesIn = (value: Json | undefined): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.filter((one) => typeof one === 'string')
  return isObject(value) ? Object.values(value).flatMap(namesIn) : []
}
