import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentBundle, hashOf, PluginError, timeLimit, tryAsync } from '@amodal/sdk'
import { compare, issueLine, Issues } from '@amodal/sdk/files'
import { isSharedCode } from '../candidates.ts'
import { digestOf } from '../digest.ts'
import { type Code, sharedIn, sourcesOf } from '../handlers.ts'
import type { ReadParts } from '../reading.ts'
import { readGuardFields } from './guard-fields.ts'
import { type Guard, withGuards } from './guard.ts'

const FOLDER = 'hooks'
const FOLDER_OF = /^hooks\/([^/]+)\//
/** Notes for people in the folder of guards. */
const NOTES = /^hooks\/[^/]+\.md$/i
const READ_MS = 45_000

/**
 * The bundle with the guards of `hooks/`. Each is loaded once, in its sandbox, which proves that it
 * stands.
 *
 * @returns `undefined` where there is no such folder. Throws where one guard cannot be honoured: an
 *   agent without it is another agent, so that it is not started
 */
export async function readGuards(
  bundle: AgentBundle,
  parts: Pick<ReadParts, 'isolation' | 'handlers'>,
): Promise<AgentBundle | undefined> {
  const issues = new Issues(
    bundle.issues.filter(
      ({ severity, file }) =>
        severity === 'error' && (file === FOLDER || file?.startsWith(`${FOLDER}/`)),
    ),
  )
  const folders = await foldersIn(bundle, issues)
  if (folders.length > 0)
    await parts.isolation.admit(
      bundle,
      folders.map((name) => `${FOLDER}/${name}/index.mjs`),
    )
  const signal = timeLimit(READ_MS, 'reading the guards')
  const guards: Guard[] = []
  for (const name of folders) {
    const guard = await readGuard(name, bundle, parts, issues, signal)
    if (guard) guards.push(guard)
  }
  if (issues.errors > 0) throw refusal(issues)
  if (guards.length === 0) return undefined
  const hash = hashOf([bundle.hash, JSON.stringify(guards)])
  return withGuards({ ...bundle, hash }, guards)
}

/**
 * The folders of guards, by their names. What stands on the disk counts: a folder of which nothing
 * was read would be a guard that is passed over.
 */
async function foldersIn({ files, root }: AgentBundle, issues: Issues): Promise<readonly string[]> {
  const names = new Set(files.flatMap(({ path }) => FOLDER_OF.exec(path)?.[1] ?? []))
  const entries = await tryAsync(
    async () => (root === undefined ? [] : readdir(join(root, FOLDER), { withFileTypes: true })),
    () => [],
  )
  const standing = entries.ok ? entries.value.filter(({ name }) => !name.startsWith('.')) : []
  for (const entry of standing) {
    const path = `${FOLDER}/${entry.name}`
    if (entry.isDirectory()) names.add(entry.name)
    else if (!NOTES.test(path) && !issues.about(path) && !names.has(entry.name))
      issues.error('BAD_REPO', 'this is no guard', {
        file: path,
        fix: 'a guard is a folder with hook.json and index.mjs',
      })
  }
  if (entries.ok && root !== undefined && names.size === 0 && issues.errors === 0)
    issues.error('BAD_REPO', `nothing of ${FOLDER}/ is a guard`, {
      file: FOLDER,
      fix: `write ${FOLDER}/<name>/hook.json and index.mjs`,
    })
  return [...names].sort(compare)
}

async function readGuard(
  name: string,
  bundle: AgentBundle,
  { handlers }: Pick<ReadParts, 'handlers'>,
  issues: Issues,
  signal: AbortSignal,
): Promise<Guard | undefined> {
  const folder = `${FOLDER}/${name}`
  const at = (path: string) => bundle.files.find((file) => file.path === `${folder}/${path}`)
  const [manifest, entry] = [at('hook.json'), at('index.mjs')]
  const refuse = (message: string, fix: string, file = folder): undefined =>
    void issues.error('BAD_REPO', message, { file, line: 1, fix })
  if (!manifest) return refuse('this guard has no hook.json', 'write it, with `name` and `points`')
  const fields = readGuardFields(manifest, issues)
  if (!entry) return refuse('this guard has no index.mjs', 'write it, and export `createHook`')
  if (!fields) return undefined
  if (bundle.root === undefined)
    return refuse("a guard is loaded from the agent's folder", 'load the agent from a folder')
  const code: Code & Pick<Guard, 'folder' | 'form'> = {
    folder,
    form: 'guard',
    entry: entry.path,
    language: 'typescript',
    shared: sharedIn(bundle.files.filter(({ path }) => isSharedCode(path))),
  }
  const digest = await digestOf(sourcesOf(bundle.root, code))
  if (!digest.ok) return refuse(digest.error.message, 'put plain files into its folder')
  const started = await handlers.start(bundle.root, code, {}, { config: fields.config, signal })
  if (!started.ok)
    return refuse(`it cannot be loaded: ${started.error.message}`, 'correct it', entry.path)
  started.value.kill('it is proved that it stands')
  return { ...code, ...fields, digest: digest.value }
}

const refusal = (issues: Issues): PluginError =>
  new PluginError(
    'tools-custom',
    'hook',
    'bundle.load',
    new Error(
      `the agent is not started without its guards: ${issues.sorted().map(issueLine).join('; ')}`,
    ),
    'BAD_REPO',
  )
