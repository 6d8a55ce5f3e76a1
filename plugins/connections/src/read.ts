import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AgentBundle,
  type BrokenConnection,
  type BundleFile,
  type Connection,
  isObject,
  type Json,
  type JsonObject,
  type Secrets,
  tryAsync,
} from '@amodal/sdk'
import {
  checkReferences,
  compare,
  didYouMean,
  errorsIn,
  isApiDocument,
  Issues,
  type JsonFile,
  manifestFile,
  readJsonObject,
  soundsLikeProtection,
  TAKEN_FIX,
  takenMessage,
  TakenNames,
  valueAt,
} from '@amodal/sdk/files'
import { NO_ACCESS, readAccess } from './access.ts'
import { blockAlone, manifestBlocks, withBlock } from './manifest-block.ts'
import { readMcpSpec } from './mcp-spec.ts'
import { readRestSpec } from './rest-spec.ts'

/** Files that a connection is made of, and those that may stand beside them. */
const FILES = ['spec.json', 'access.json', 'surface.md', 'entities.md', 'rules.md']
const BESIDE = /^(README|LICENSE|CHANGELOG|NOTICE|package)\b/i
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/

/** What says where a connection leads. */
const ADDRESSES = ['baseUrl', 'command', 'url']

interface Found {
  readonly connections: readonly Connection[]
  readonly broken: readonly BrokenConnection[]
  readonly references: AgentBundle['references']
  readonly issues: Issues
}

/**
 * Reads `connections/` and `mcp.servers`: the bundle with its connections, what is wrong with them,
 * and the variables they name. A connection with a file that cannot be used is left out whole,
 * since half of its protections are none.
 */
export async function readConnections(bundle: AgentBundle, secrets: Secrets): Promise<AgentBundle> {
  const issues = new Issues()
  const manifest = await manifestFile(bundle)
  const folders = await readFolders(bundle, secrets, issues, {
    manifest,
    blocks: manifestBlocks(manifest, issues),
  })
  const servers = await readServers(
    bundle,
    manifest,
    new Set([...folders.connections, ...folders.broken].map(({ name }) => name)),
    issues,
  )
  const { connections, taken } = withOwnNames(
    [...folders.connections, ...servers.connections].sort((a, b) => compare(a.name, b.name)),
    issues,
  )
  return {
    ...bundle,
    references: [...bundle.references, ...folders.references],
    issues: [...bundle.issues, ...issues.sorted()],
    parts: {
      ...bundle.parts,
      connections: plain(connections),
      'connections.broken': plain([...folders.broken, ...servers.broken, ...taken]),
    },
  }
}

/**
 * Leaves out connections whose names are taken: by one that differs in case only, or by an MCP
 * server whose tools would be called as those of the other are, as `a` with its tool `b__c` and
 * `a__b` with its tool `c`.
 */
function withOwnNames(
  connections: readonly Connection[],
  issues: Issues,
): { readonly connections: readonly Connection[]; readonly taken: readonly BrokenConnection[] } {
  const names = new TakenNames()
  const accepted: Connection[] = []
  const taken: BrokenConnection[] = []
  for (const connection of connections) {
    const { name, protocol: kind, file } = connection
    const outer = accepted.find((other) => isPrefix(other, connection))
    const other =
      names.take([name], placeOf(connection)) ??
      (outer && { name: `${name}__…`, by: placeOf(outer) })
    if (other) {
      const error = takenMessage(`the connection "${name}"`, other)
      issues.error('DUPLICATE_NAME', error, { file, fix: TAKEN_FIX })
      taken.push({ name, kind, error, file })
    } else accepted.push(connection)
  }
  return { connections: accepted, taken }
}

const isPrefix = (outer: Connection, { name, protocol }: Connection): boolean =>
  outer.protocol === 'mcp' &&
  protocol === 'mcp' &&
  name.toLowerCase().startsWith(`${outer.name.toLowerCase()}__`)

const placeOf = ({ name, file }: Connection): string =>
  file.startsWith('connections/') ? file : `"${name}" of ${file}`

// made of what was read as JSON
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

/** What the manifest says of connections. */
interface Manifest {
  readonly manifest: JsonFile
  readonly blocks: ReadonlyMap<string, JsonObject>
}

async function readFolders(
  bundle: AgentBundle,
  secrets: Secrets,
  issues: Issues,
  declared: Manifest,
): Promise<Found> {
  const folders = new Map<string, Map<string, BundleFile>>()
  for (const file of bundle.files) {
    const [, name, inside] = /^connections\/([^/]+)\/([^/]+)$/.exec(file.path) ?? []
    if (name === undefined || inside === undefined) {
      if (isStray(file.path))
        issues.error('BAD_REPO', 'this file belongs to no connection, and is not read', {
          file: file.path,
          fix: 'write what it protects into connections/<name>/access.json',
        })
      continue
    }
    folders.set(name, (folders.get(name) ?? new Map<string, BundleFile>()).set(inside, file))
  }
  // A folder none of whose files could be read has issues only.
  for (const { file } of bundle.issues) {
    const name = /^connections\/([^/]+)(?:\/|$)/.exec(file ?? '')?.[1]
    if (name !== undefined && !folders.has(name)) folders.set(name, new Map())
  }
  for (const name of declared.blocks.keys()) if (!folders.has(name)) folders.set(name, new Map())
  const read = await Promise.all(
    [...folders].map(([name, files]) => readFolder(name, files, bundle, secrets, issues, declared)),
  )
  return {
    connections: read.flatMap(({ connection }) => connection ?? []),
    broken: read.flatMap(({ broken }) => broken ?? []),
    references: read.flatMap(({ references }) => references),
    issues,
  }
}

/** A protection in the wrong place, such as `connections/access.json`. */
const isStray = (path: string): boolean =>
  /^connections\/.*\.(?:json|ya?ml)$/i.test(path) &&
  !isApiDocument(path) &&
  soundsLikeProtection(path.replace(/^.*\//, ''))

interface ReadFolder {
  readonly connection?: Connection
  readonly broken?: BrokenConnection
  readonly references: AgentBundle['references']
}

async function readFolder(
  name: string,
  files: ReadonlyMap<string, BundleFile>,
  bundle: AgentBundle,
  secrets: Secrets,
  issues: Issues,
  declared: Manifest,
): Promise<ReadFolder> {
  const block = declared.blocks.get(name)
  const isAlone = block !== undefined && files.size === 0
  const folder = isAlone ? declared.manifest.file : `connections/${name}`
  const own = new Issues()
  checkNames(name, folder, files, own)
  await checkReadable(`connections/${name}`, files, bundle, own)
  const specFile = files.get('spec.json')
  if (isAlone && own.errors === 0 && !ADDRESSES.some((field) => block[field] !== undefined)) {
    const place = {
      file: declared.manifest.file,
      line: declared.manifest.lineOf(['connections', name]),
    }
    own.error(
      'BAD_REPO',
      `\`connections.${name}\` belongs to no connection: there is no connections/${name}, and it names no address`,
      { ...place, fix: `write connections/${name}/spec.json, or add \`baseUrl\` here` },
    )
  } else if (!specFile && !isAlone && own.errors === 0)
    own.error('BAD_REPO', 'there is no spec.json', {
      file: `${folder}/spec.json`,
      fix: 'create it with { "baseUrl": "https://…" }',
    })
  const written = specFile && readJsonObject(specFile, own)
  const readSpec = () => {
    if (written && block) return withBlock(written, name, block, declared.manifest)
    return isAlone && own.errors === 0 ? blockAlone(name, block, declared.manifest) : written
  }
  const json = readSpec()
  const protocol = json && protocolOf(json, own)
  const rest = json && protocol === 'rest' ? readRestSpec(json, own) : undefined
  const mcp = json && protocol === 'mcp' ? readMcpSpec(json, [], own) : undefined
  const accessFile = files.get('access.json')
  const accessJson = accessFile && readJsonObject(accessFile, own)
  const access = accessJson ? readAccess(accessJson, own) : NO_ACCESS
  if (!accessFile && rest && own.errors === 0)
    own.warn('BAD_REPO', 'there is no access.json: reads are allowed, and every write asks', {
      file: folder,
      fix: 'create access.json with { "endpoints": {} }',
    })
  const broken = own.errors > 0
  const text = (file: string): string => files.get(file)?.text.trim() ?? ''
  // A variable that is not set stops the calls that need it, not the protections.
  // Those of the manifest were looked at with the manifest.
  const references =
    json && !broken && !isAlone ? checkReferences(written ?? json, secrets, own, 'warning') : []
  const kind = protocol ?? 'rest'
  if (broken || !json || !access || (!rest && !mcp)) {
    const first = [
      ...errorsIn(bundle.issues).filter(({ file }) => file?.startsWith(`${folder}/`) === true),
      ...errorsIn(own.sorted()),
    ][0]
    const error = first
      ? `${first.file ?? folder}${first.line === undefined ? '' : `:${first.line}`} ${first.message}`
      : 'it cannot be read'
    own.error(
      'BAD_REPO',
      `the connection "${name}" is left out, since its files are not in order`,
      { file: folder, fix: 'correct what is said of its files, and start again' },
    )
    passOn(own, issues)
    return { broken: { name, kind, error, file: folder }, references }
  }
  passOn(own, issues)
  return {
    references,
    connection: {
      name,
      protocol: kind,
      spec: mcp ?? json.value,
      ...(rest && { rest }),
      access,
      accessGiven: accessFile !== undefined,
      surface: text('surface.md'),
      entities: text('entities.md'),
      rules: text('rules.md'),
      file: isAlone ? folder : `${folder}/spec.json`,
    },
  }
}

function protocolOf(json: JsonFile, issues: Issues): 'rest' | 'mcp' | undefined {
  const declared = valueAt(json.value, ['protocol'])
  if (declared === undefined || declared === 'rest' || declared === 'mcp') return declared ?? 'rest'
  issues.error('BAD_REPO', `\`protocol\` cannot be ${JSON.stringify(declared)}`, {
    file: json.file,
    line: json.lineOf(['protocol']),
    fix: 'use one of: rest, mcp',
  })
  return undefined
}

/** A misspelled `acces.json` would be a protection that has no effect. */
function checkNames(
  name: string,
  folder: string,
  files: ReadonlyMap<string, BundleFile>,
  issues: Issues,
): void {
  if (!NAME.test(name))
    issues.error('BAD_REPO', `"${name}" is no name of a connection`, {
      file: folder,
      fix: 'use letters, digits, _ and -',
    })
  for (const file of files.keys()) {
    if (FILES.includes(file) || isApiDocument(`${folder}/${file}`) || BESIDE.test(file)) continue
    const meant = didYouMean(file, FILES)
    const at = `${folder}/${file}`
    if (meant !== undefined)
      issues.error('BAD_REPO', `this file is not read; did you mean ${meant}?`, {
        file: at,
        fix: `rename it to ${meant}`,
      })
    else if (soundsLikeProtection(file))
      issues.error('BAD_REPO', 'this file is not read', {
        file: at,
        fix: 'write what it protects into access.json',
      })
    else
      issues.warn('BAD_REPO', 'this file is not read', {
        file: at,
        fix: 'put what the model should know into surface.md, entities.md or rules.md, and keep the rest elsewhere',
      })
  }
}

/**
 * A file that exists and could not be read. Otherwise an unreadable `access.json` would have no
 * effect.
 */
async function checkReadable(
  folder: string,
  files: ReadonlyMap<string, BundleFile>,
  { root, issues: knownIssues, held }: AgentBundle,
  issues: Issues,
): Promise<void> {
  for (const file of FILES.filter((one) => !files.has(one))) {
    const path = `${folder}/${file}`
    if (held?.paths.includes(path) === true) continue // it is new, and not in use yet
    const there =
      root !== undefined &&
      (
        await tryAsync(
          () => lstat(join(root, path)),
          () => undefined,
        )
      ).ok
    if (there || knownIssues.some((issue) => issue.file === path && issue.severity === 'error'))
      issues.error('UNREADABLE', 'the file is there and could not be read', {
        file: path,
        fix: 'make it readable',
      })
  }
}

function passOn(from: Issues, to: Issues): void {
  for (const { severity, code, message, ...place } of from.sorted()) {
    if (severity === 'error') to.error(code, message, place)
    else to.warn(code, message, place)
  }
}

/** `mcp.servers` of the manifest; a folder of the same name wins. */
async function readServers(
  { manifest }: AgentBundle,
  json: JsonFile,
  taken: ReadonlySet<string>,
  issues: Issues,
): Promise<Pick<Found, 'connections' | 'broken'>> {
  const servers = valueAt(manifest.raw, ['mcp', 'servers'])
  if (servers === undefined) return { connections: [], broken: [] }
  const connections: Connection[] = []
  const broken: BrokenConnection[] = []
  if (!isObject(servers))
    issues.error('BAD_REPO', '`mcp.servers` is no object', {
      file: json.file,
      line: json.lineOf(['mcp', 'servers']),
      fix: 'write { "name": { … } }',
    })
  for (const name of isObject(servers) ? Object.keys(servers) : []) {
    const at = ['mcp', 'servers', name]
    const place = { file: json.file, line: json.lineOf(at) }
    if (taken.has(name)) {
      issues.warn(
        'BAD_REPO',
        `the folder connections/${name} counts, and \`mcp.servers.${name}\` is not read`,
        { ...place, fix: 'remove one of the two' },
      )
      continue
    }
    const own = new Issues()
    if (!NAME.test(name))
      own.error('BAD_REPO', `"${name}" is no name of a connection`, {
        ...place,
        fix: 'use letters, digits, _ and -',
      })
    const spec = readMcpSpec(json, at, own)
    const [first] = errorsIn(own.sorted())
    passOn(own, issues)
    if (!spec || first)
      broken.push({
        name,
        kind: 'mcp',
        error: first?.message ?? 'it cannot be read',
        file: json.file,
      })
    else
      connections.push({
        name,
        protocol: 'mcp',
        spec,
        access: NO_ACCESS,
        accessGiven: false,
        surface: '',
        entities: '',
        rules: '',
        file: json.file,
      })
  }
  return { connections, broken }
}
