import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AgentBundle,
  type BrokenConnection,
  type BundleFile,
  type Connection,
  type JsonObject,
  type Secrets,
  tryAsync,
} from '@amodal/sdk'
import {
  checkReferences,
  didYouMean,
  errorsIn,
  isApiDocument,
  Issues,
  type JsonFile,
  readJsonObject,
  soundsLikeProtection,
  valueAt,
} from '@amodal/sdk/files'
import { NO_ACCESS, readAccess } from './access.ts'
import { blockAlone, withBlock } from './manifest-block.ts'
import { readMcpSpec } from './mcp-spec.ts'
import { readRestSpec } from './rest-spec.ts'

/** Files that a connection is made of, and those that may stand beside them. */
const FILES = ['spec.json', 'access.json', 'policy.json', 'surface.md', 'entities.md', 'rules.md']
const BESIDE = /^(README|LICENSE|CHANGELOG|NOTICE|package)\b/i
export const CONNECTION_NAME = /^[A-Za-z0-9][\w-]{0,63}$/

/** What says where a connection leads. */
const ADDRESSES = ['baseUrl', 'command', 'url']

/** What the manifest says of connections. */
export interface DeclaredConnections {
  readonly manifest: JsonFile
  readonly blocks: ReadonlyMap<string, JsonObject>
}

interface FolderToRead {
  /** Such as `connections/crm`. */
  readonly folder: string
  /** By their names in the folder. */
  readonly files: ReadonlyMap<string, BundleFile>
  readonly bundle: AgentBundle
  readonly secrets: Secrets
  readonly declared: DeclaredConnections
}

interface ReadFolder {
  readonly connection?: Connection
  readonly broken?: BrokenConnection
  readonly references: AgentBundle['references']
}

/** Reads one connection. With a file that cannot be used it is left out. */
export async function readFolder(
  { folder: place, files, bundle, secrets, declared }: FolderToRead,
  issues: Issues,
): Promise<ReadFolder> {
  const name = place.replace(/^.*\//, '')
  const block = declared.blocks.get(name)
  const isAlone = block !== undefined && files.size === 0
  const folder = isAlone ? declared.manifest.file : place
  const own = new Issues()
  checkNames(name, folder, files, own)
  await checkReadable(place, files, bundle, own)
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
  const accessFile = accessFileIn(files, own)
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

/** `policy.json` is the name of the same file in the second layout of agent folders. */
function accessFileIn(
  files: ReadonlyMap<string, BundleFile>,
  issues: Issues,
): BundleFile | undefined {
  const [access, policy] = [files.get('access.json'), files.get('policy.json')]
  if (access && policy)
    issues.error('BAD_REPO', 'there are an access.json and a policy.json: only one may decide', {
      file: policy.path,
      line: 1,
      fix: 'move its rules into access.json, and remove this file',
    })
  return access ?? policy
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
  if (!CONNECTION_NAME.test(name))
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

/** Adds the issues of one connection to those of all. */
export function passOn(from: Issues, to: Issues): void {
  for (const { severity, code, message, ...place } of from.sorted()) {
    if (severity === 'error') to.error(code, message, place)
    else to.warn(code, message, place)
  }
}
