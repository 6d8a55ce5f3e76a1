import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadBundle } from '@amodal/plugin-repo-files'
import { explainStart, readFolder } from '@amodal/presets'
import {
  hooksOf,
  ok,
  startAgent,
  type AgentBundle,
  type BundleIssue,
  type Secrets,
} from '@amodal/sdk'
import ts from 'typescript'
import type { Block } from './pages.ts'

/**
 * The file of an agent folder that a block is, as its info string says: `amodal.json`,
 * `my-agent/stores/tasks.json`.
 */
export function agentFile({
  info,
  lang,
}: Pick<Block, 'info' | 'lang'>): { readonly folder: string; readonly file: string } | undefined {
  const path =
    (lang === 'ts' && !info.startsWith('tools/')) || lang === 'sh' || lang === 'text'
      ? undefined
      : /^[\w./-]+\.\w+$|^(?:[\w-]+\/)?\.env$/.exec(info)?.[0]
  if (path === undefined) return undefined
  const [, folder = '', file = path] =
    /^((?!(?:stores|skills|knowledge|agents|plugins|connections|tools)\/)[\w-]+)\/(.+)$/.exec(
      path,
    ) ?? []
  return { folder, file }
}

export interface Parsed {
  readonly value?: unknown
  readonly problem?: string
}

/** A value, or one value a line. `jsonc` may have comments. */
export function parseJson({ lang, text }: Pick<Block, 'lang' | 'text'>): Parsed {
  if (lang === 'jsonc') {
    const { config, error } = ts.parseConfigFileTextToJson('block.jsonc', text)
    return error
      ? { problem: ts.flattenDiagnosticMessageText(error.messageText, ' ') }
      : { value: config }
  }
  try {
    return { value: JSON.parse(text) }
  } catch (cause) {
    const lines = text.trim().split('\n')
    if (lines.length < 2 || !lines.every((line) => /^[[{].*[\]}]$/.test(line)))
      return { problem: String(cause) }
    const parsed = lines.map((line) => parseJson({ lang, text: line }))
    return (
      parsed.find(({ problem }) => problem !== undefined) ?? {
        value: parsed.map(({ value }) => value),
      }
    )
  }
}

/** Any variable is set: a page cannot set them. */
const SECRETS: Secrets = {
  get: () => 'set',
  resolve: (text) => ok(text.startsWith('env:') ? 'set' : text),
  load: () => [],
  values: () => [],
  protect: () => () => undefined,
  mask: (text) => text,
}

/**
 * Folders that the blocks of pages make up, loaded as an agent is. A file that comes again on a
 * page begins another agent.
 */
export async function agentProblems(blocks: readonly Block[]): Promise<readonly string[]> {
  const folders = new Map<string, { readonly block: Block; readonly file: string }[]>()
  const times = new Map<string, number>()
  for (const block of blocks) {
    const place = agentFile(block)
    if (!place) continue
    const path = `${block.page} ${place.folder} ${place.file}`
    const time = (times.get(path) ?? 0) + 1
    times.set(path, time)
    const key = [
      block.page,
      place.folder,
      ...(time > 1 ? [`(${place.file}, line ${block.line})`] : []),
    ]
      .filter((part) => part !== '')
      .join(' ')
    folders.set(key, [...(folders.get(key) ?? []), { block, file: place.file }])
  }
  const problems: string[] = []
  for (const [name, files] of folders)
    problems.push(...(await folderProblems(files)).map((problem) => `${name}: ${problem}`))
  return problems
}

async function folderProblems(
  files: readonly { readonly block: Block; readonly file: string }[],
): Promise<readonly string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'amodal-agent-'))
  try {
    for (const { block, file } of [
      { block: { text: '{ "name": "page" }', lang: 'json' }, file: 'amodal.json' },
      ...files,
    ]) {
      mkdirSync(dirname(join(dir, file)), { recursive: true })
      writeFileSync(join(dir, file), file === 'amodal.json' ? named(block) : block.text)
    }
    const loaded = await loadBundle(dir, { secrets: SECRETS })
    const wired = await wiringProblems(dir, loaded.ok ? loaded.value : undefined)
    const issues = [...(loaded.ok ? loaded.value : loaded.error).issues, ...wired.issues]
    // What refers to a part that a page leaves out, such as another store, is no fault of the page,
    // nor is what is not set here.
    const told = issues
      .filter(
        ({ severity, code }) =>
          code !== 'ENV_NOT_SET' && (severity === 'error' || code !== 'NOT_FOUND'),
      )
      .map(({ file, line, message }) => `${file ?? ''}:${line ?? 1}: ${message}`)
    return [...told, ...wired.problems]
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A part of a manifest is shown without its name. */
function named(block: Pick<Block, 'lang' | 'text'>): string {
  const { value } = parseJson({ ...block, lang: 'jsonc' })
  return typeof value === 'object' && value !== null && !('name' in value)
    ? JSON.stringify({ name: 'page', ...value })
    : block.text
}

interface Wired {
  readonly problems: readonly string[]
  readonly issues: readonly BundleIssue[]
}

/**
 * Plans what the manifest asks for: its preset, its plugins and their config; then lets these read
 * their files. Starts nothing.
 */
async function wiringProblems(dir: string, bundle: AgentBundle | undefined): Promise<Wired> {
  const folder = await readFolder({ dir, env: {} })
  if (!folder.ok) return { problems: [explainStart(folder.error)], issues: [] }
  const started = await startAgent(folder.value.entries, { ...folder.value.options, boots: [] })
  if (!started.ok) return { problems: [explainStart(started.error)], issues: [] }
  const read =
    bundle &&
    (await hooksOf(started.value.kernel.current()).bundle.load.call(bundle, {
      where: dir,
      load: () => Promise.resolve(ok(bundle)),
    }))
  await started.value.close()
  if (read?.ok === false) return { problems: [read.error.message], issues: [] }
  return { problems: [], issues: read?.value.issues.slice(bundle?.issues.length) ?? [] }
}
