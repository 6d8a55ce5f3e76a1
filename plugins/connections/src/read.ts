import {
  type AgentBundle,
  type BrokenConnection,
  type BundleFile,
  type Connection,
  isObject,
  type Json,
  type Secrets,
} from '@amodal/sdk'
import {
  partPath,
  compare,
  errorsIn,
  isApiDocument,
  Issues,
  type JsonFile,
  manifestFile,
  soundsLikeProtection,
  TAKEN_FIX,
  takenMessage,
  TakenNames,
  valueAt,
} from '@amodal/sdk/files'
import { NO_ACCESS } from './access.ts'
import {
  CONNECTION_NAME,
  type DeclaredConnections,
  passOn,
  readFolder,
} from './connection-folder.ts'
import { manifestBlocks } from './manifest-block.ts'
import { readMcpSpec } from './mcp-spec.ts'

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
  partPath(file).startsWith('connections/') ? file : `"${name}" of ${file}`

// made of what was read as JSON
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

async function readFolders(
  bundle: AgentBundle,
  secrets: Secrets,
  issues: Issues,
  declared: DeclaredConnections,
): Promise<Found> {
  const folders = new Map<string, Map<string, BundleFile>>()
  for (const file of bundle.files) {
    const [, folder, inside] = /^((?:amodal\/)?connections\/[^/]+)\/([^/]+)$/.exec(file.path) ?? []
    if (folder === undefined || inside === undefined) {
      if (isStray(file.path))
        issues.error('BAD_REPO', 'this file belongs to no connection, and is not read', {
          file: file.path,
          fix: 'write what it protects into connections/<name>/access.json',
        })
      continue
    }
    folders.set(folder, (folders.get(folder) ?? new Map<string, BundleFile>()).set(inside, file))
  }
  // A folder none of whose files could be read has issues only.
  for (const { file } of bundle.issues) {
    const folder = /^(?:amodal\/)?connections\/[^/]+(?=\/|$)/.exec(file ?? '')?.[0]
    if (folder !== undefined && !folders.has(folder)) folders.set(folder, new Map())
  }
  for (const name of declared.blocks.keys()) {
    const folder = `connections/${name}`
    if (!folders.has(folder) && !folders.has(`amodal/${folder}`)) folders.set(folder, new Map())
  }
  const read = await Promise.all(
    [...folders].map(([folder, files]) =>
      readFolder({ folder, files, bundle, secrets, declared }, issues),
    ),
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
  /^connections\/.*\.(?:json|ya?ml)$/i.test(partPath(path)) &&
  !isApiDocument(path) &&
  soundsLikeProtection(path.replace(/^.*\//, ''))

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
    if (!CONNECTION_NAME.test(name))
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
