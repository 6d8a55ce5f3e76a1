import { realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type AgentBundle,
  type BundleFile,
  type BundleIssue,
  deepFreeze,
  err,
  type Failure,
  failure,
  messageOf,
  ok,
  type Result,
  type Secrets,
  tryAsync,
} from '@amodal/sdk'
import { isKnownCode } from '@amodal/sdk/inspection'
import {
  BOOTSTRAP_FILES,
  checkReferences,
  errorsIn,
  Issues,
  issuesTold,
  mountOf,
  readJsonObject,
} from '@amodal/sdk/files'
import { bundleHash } from './bundle-hash.ts'
import { withFileSources, type FileSource } from './file-sources.ts'
import { readFolders, readOne, type FolderLimits } from './folder.ts'
import { withoutDoubleParts } from './double-parts.ts'
import { recoverChange } from './folder-change.ts'
import { isInstructions, readInstructions, refuseUnreadInstructions } from './instructions.ts'
import { isKnowledge, readKnowledge } from './knowledge.ts'
import { readManifest } from './manifest.ts'
import { refuseOtherLayout, reportUnreadParts } from './second-layout.ts'
import { isSkill, readSkills } from './skills.ts'
import { isStoreFile, readStores } from './stores.ts'
import { isMissing, reasonOf, type Walk } from './walk.ts'

export interface LoadOptions extends Partial<FolderLimits> {
  readonly secrets: Secrets
  /** Folders to read beside those of the format, for a plugin that owns one. */
  readonly folders?: readonly string[]
  /** Folders of the second layout that plugins read. */
  readonly owned?: () => readonly string[]
  /** The providers of models that there are; left out: nobody is told of one that is not. */
  readonly providers?: () => readonly string[]
  /** Sources of files that stand outside of the folders of the format. */
  readonly sources?: () => readonly FileSource[]
  readonly signal?: AbortSignal
}

const ENVIRONMENT = '.env'
const MANIFEST = 'amodal.json'
const OLDER_MANIFEST = '.amodal/config.json'
/** Where a manifest stands; the first that is there counts. */
export const MANIFESTS = [MANIFEST, OLDER_MANIFEST] as const
/** Files of the root that other plugins read. */
const HANDED_ON: readonly string[] = [...BOOTSTRAP_FILES, 'prices.json']
/** Files of the root that are read. */
export const ROOT_FILES: readonly string[] = [ENVIRONMENT, ...MANIFESTS, ...HANDED_ON]

/** A folder as it was read. */
export interface FolderTexts {
  /** A real path. */
  readonly root: string
  readonly files: readonly BundleFile[]
  /** What could not be read. */
  readonly issues: readonly BundleIssue[]
  /** Folders that a plugin owns. */
  readonly owned: readonly string[]
  /** Errors of other sources of files; with any, the agent is not loaded. */
  readonly blocked?: readonly BundleIssue[]
}

export type LoadFailure = Failure & { readonly issues: readonly BundleIssue[] }

/**
 * Loads an agent folder: `amodal.json`, `skills/`, `knowledge/`, `stores/`, `agents/main`, and the
 * text of the bootstrap files (`AGENTS.md` and the like) and of whatever stands in the other
 * folders of the format.
 *
 * A file that cannot be used is left out and named in `issues`, with its line and what to do; the
 * rest loads. Only the manifest is needed: if it is missing or wrong, or names a variable that is
 * not set, the load fails with every issue of the whole folder. It fails, too, where a part belongs
 * to a layout that is not supported.
 *
 * @param dir the agent folder
 * @param options `secrets` answers for `env:NAME`, and is told of the folder's `.env` first; a file
 *   may have `maxFileBytes` (1 MiB), the folder `maxFiles` (2,000)
 * @returns the bundle, frozen; or `NOT_FOUND`, `UNREADABLE`, `ENV_NOT_SET`, `BAD_REPO`, `TIMEOUT`
 *   with `issues`
 *
 * @example
 * const loaded = await loadBundle('./my-agent', { secrets })
 * if (loaded.ok) console.log(loaded.value.manifest.name, loaded.value.skills.length)
 */
export async function loadBundle(
  dir: string,
  options: LoadOptions,
): Promise<Result<AgentBundle, LoadFailure>> {
  const signal = options.signal ?? new AbortController().signal
  const read = await tryAsync(
    () => readBundle(dir, options, signal),
    (cause) => cause,
  )
  if (read.ok) return read.value
  return err(brokenOff(dir, signal, read.error))
}

/** Why a load came to no end. */
export function brokenOff(dir: string, signal: AbortSignal, cause: unknown): LoadFailure {
  const told = signal.aborted
    ? failure('TIMEOUT', `loading ${dir} was stopped`, { cause })
    : failure('INTERNAL', `loading ${dir} failed: ${messageOf(cause)}`, { cause })
  return { ...told, issues: [] }
}

async function readBundle(
  dir: string,
  options: LoadOptions,
  signal: AbortSignal,
): Promise<Result<AgentBundle, LoadFailure>> {
  const texts = await readTexts(dir, options, signal)
  return texts.ok ? parseTexts(texts.value, dir, options) : texts
}

/** Reads every file there is, and judges none of them. */
export async function readTexts(
  dir: string,
  options: Omit<LoadOptions, 'secrets' | 'signal'>,
  signal: AbortSignal,
): Promise<Result<FolderTexts, LoadFailure>> {
  const root = await findRoot(resolve(dir))
  if (!root.ok) return err({ ...root.error, issues: [] })
  const issues = new Issues()
  // Before anything is read: a change is there as a whole, or not at all.
  const { problem } = recoverChange(root.value)
  if (problem !== undefined)
    issues.error(
      'UNREADABLE',
      `a change of these files was begun and cannot be finished: ${problem}`,
      {
        file: '.amodal/admin/intent.json',
        fix: 'see to it that the files can be written, or remove this file',
      },
    )
  const walk: Walk = { root: root.value, mounted: await mountOf(root.value), issues, signal }
  const limits = {
    maxFileBytes: options.maxFileBytes ?? 1_048_576,
    maxFiles: options.maxFiles ?? 2_000,
  }

  const [environment, manifest, below, bootstrap] = await Promise.all([
    readOne(walk, ENVIRONMENT, limits),
    readManifestFile(walk, limits),
    readFolders(walk, options.folders ?? [], limits),
    Promise.all(HANDED_ON.map((path) => readOne(walk, path, limits))),
  ])
  const files = [environment, manifest, ...below, ...bootstrap].filter((file) => file !== undefined)
  const texts: FolderTexts = {
    root: root.value,
    files,
    issues: issues.sorted(),
    owned: [...(options.folders ?? []), ...(options.owned?.() ?? [])],
  }
  return ok(await withFileSources(texts, options.sources?.() ?? [], signal))
}

/** Makes a bundle of the files of a folder, which need not be those that stand there now. */
export function parseTexts(
  { root, files: all, issues: found, owned, blocked }: FolderTexts,
  dir: string,
  { secrets, providers }: Pick<LoadOptions, 'secrets' | 'providers'>,
): Result<AgentBundle, LoadFailure> {
  const issues = new Issues(found)
  const manifestFile = MANIFESTS.flatMap((name) => all.filter(({ path }) => path === name))[0]
  const files = withoutDoubleParts(
    all.filter((file) => file.path !== ENVIRONMENT && file !== manifestFile),
    issues,
  )
  loadEnvironment({ root, files: all }, secrets)

  const refused = new Issues(blocked)
  refuseOtherLayout(all, { owned, unread: found.flatMap(({ file }) => file ?? []) }, refused)
  refuseUnreadInstructions(all, refused)
  if (refused.errors > 0)
    return err(refusal(dir, new Issues([...found, ...refused.sorted()]).sorted(), refused.sorted()))
  reportUnreadParts(
    files,
    found.flatMap(({ file }) => file ?? []),
    issues,
  )
  const skills = readSkills(files, issues)
  const knowledge = readKnowledge(files, issues)
  const stores = readStores(files, issues)
  const instructions = readInstructions(files, issues)

  const leftOut = issues.errors
  const json = manifestFile && readJsonObject(manifestFile, issues)
  const references = json ? checkReferences(json, secrets, issues) : []
  const manifest = json && readManifest(json, issues, providers?.())
  if (!manifestFile || !manifest || issues.errors > leftOut)
    return err(refusal(dir, issues.sorted()))

  return ok(
    deepFreeze({
      hash: bundleHash([manifestFile, ...files]),
      root,
      manifest,
      instructions,
      skills,
      knowledge,
      stores,
      references,
      files: files.filter(({ path }) => !isParsed(path)),
      issues: issues.sorted(),
      parts: {},
    }),
  )
}

/** Of a `.env` that is gone, the variables are gone, too. */
export function loadEnvironment(
  { root, files }: Pick<FolderTexts, 'root' | 'files'>,
  secrets: Secrets,
): void {
  secrets.load({
    path: join(root, ENVIRONMENT),
    text: files.find(({ path }) => path === ENVIRONMENT)?.text ?? '',
  })
}

const isParsed = (path: string): boolean =>
  isSkill(path) || isKnowledge(path) || isStoreFile(path) || isInstructions(path)

async function findRoot(dir: string): Promise<Result<string, Failure>> {
  const root = await tryAsync(
    async () => {
      const real = await realpath(dir)
      return { real, isFolder: (await stat(real)).isDirectory() }
    },
    (cause) =>
      failure(
        isMissing(cause) ? 'NOT_FOUND' : 'UNREADABLE',
        `the agent folder ${dir} cannot be read (${reasonOf(cause)}); name another with --dir`,
        { cause },
      ),
  )
  if (!root.ok) return root
  return root.value.isFolder
    ? ok(root.value.real)
    : err(
        failure(
          'UNREADABLE',
          `${dir} is a file, and an agent is a folder; name the folder with --dir`,
        ),
      )
}

/** `amodal.json`, or the place where older repos keep it. */
async function readManifestFile(walk: Walk, limits: FolderLimits): Promise<BundleFile | undefined> {
  const file = await readOne(walk, MANIFEST, limits)
  if (file || walk.issues.about(MANIFEST)) return file
  const older = await readOne(walk, OLDER_MANIFEST, limits)
  if (older || walk.issues.about(OLDER_MANIFEST)) return older
  walk.issues.error('NOT_FOUND', 'there is no amodal.json in this folder', {
    file: MANIFEST,
    fix: 'create it with { "name": "my-agent" }, or name the agent folder with --dir',
  })
  return undefined
}

/** The message tells the first reason; all of them stand in `issues`. */
function refusal(
  dir: string,
  issues: readonly BundleIssue[],
  reasons: readonly BundleIssue[] = issues.filter(({ file }) =>
    MANIFESTS.some((name) => name === file),
  ),
): LoadFailure {
  const own = errorsIn(reasons)
  const code = own[0]?.code
  return {
    ...failure(
      code !== undefined && isKnownCode(code) ? code : 'BAD_REPO',
      `the agent in ${dir} cannot be loaded: ${issuesTold(own, 'see its issues')}`,
    ),
    issues,
  }
}
