import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  hooksOf,
  LiveChecks,
  type AgentBundle,
  type BundleIssue,
  type Command,
  type CommandContext,
  type Generation,
  type Secrets,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { errorsIn, issueLine } from '@amodal/sdk/files'
import { loadBundle, type LoadFailure, type LoadOptions } from './load.ts'
import { checkModels } from './model-checks.ts'
import { FolderCounts } from './tokens.ts'

interface Report {
  readonly ok: boolean
  readonly dir: string
  /** What was found, where the folder loads. */
  readonly agent?: {
    readonly name: string
    readonly version: string
    readonly skills: number
    readonly knowledge: number
    readonly stores: number
    readonly connections: number
    /** Parts by the folder that they stand in, as plugins count them. */
    readonly folders: Readonly<Record<string, number>>
  }
  readonly errors: number
  readonly warnings: number
  readonly issues: readonly BundleIssue[]
}

/**
 * `amodal validate`: every problem of the folder in one go, those that other plugins find among
 * them, and whether what the agent reaches outside answers; exit code 1 where one of them is an
 * error.
 */
export function validateCommand(
  secrets: Secrets,
  options: Omit<LoadOptions, 'secrets' | 'signal'>,
  generation: () => Generation,
): Command {
  return {
    summary: 'Check the files of the agent, and what it connects to',
    usage: 'amodal validate [--dir PATH] [--skip-test] [--test-model] [--strict] [--json]',
    about: [
      'Names every problem with its file, its line and what to do. Connections are asked for their `testPath`, and MCP servers are',
      'started and asked for their tools. Exit code 1 where there is an error; warnings, such as a key of a connection that is not set,',
      'pass without --strict.',
    ],
    examples: [
      ['amodal validate --dir my-agent', 'checks files and connections'],
      ['amodal validate --skip-test', 'looks at the files only; nothing leaves this machine'],
      [
        'amodal validate --test-model',
        'also asks each model for one word, which costs a few tokens',
      ],
      ['amodal validate --strict', 'before a deployment: also fails on warnings'],
    ],
    options: {
      'skip-test': { type: 'boolean', description: 'Do not try connections and MCP servers' },
      'test-model': {
        type: 'boolean',
        description: 'Ask each model for one word: does its key work?',
      },
      strict: { type: 'boolean', description: 'Exit code 1 on warnings, too' },
      json: { type: 'boolean', description: 'Print the result as JSON' },
    },
    async run(context) {
      const report = await examine(context, { ...options, secrets }, generation())
      if (context.options['json'] === true) context.print(JSON.stringify(report, null, 2))
      else for (const line of reportLines(report)) context.print(line)
      return report.ok ? 0 : 1
    },
  }
}

/** What is wrong with a folder; nothing outside is asked. */
export async function checkFolder(
  dir: string,
  options: LoadOptions,
  generation: Generation,
): Promise<readonly BundleIssue[]> {
  const read = await loadBundle(dir, options)
  const issues = read.ok ? (await asLoaded(read.value, generation)).issues : reasons(read.error)
  return issues.map((issue) => ({ ...issue, message: options.secrets.mask(issue.message) }))
}

async function examine(
  { dir, signal, wiring = [], options: asked }: CommandContext,
  options: LoadOptions,
  generation: Generation,
): Promise<Report> {
  const read = await loadBundle(dir, { ...options, signal })
  const loaded = read.ok
    ? { ok: true as const, value: await asLoaded(read.value, generation) }
    : read
  const found = loaded.ok
    ? [
        ...unreadFolders(dir, loaded.value),
        ...loaded.value.issues,
        ...(await tried(loaded.value, generation, asked, signal)),
      ]
    : reasons(loaded.error)
  const issues = [...found, ...wiring].map((issue) => ({
    ...issue,
    message: options.secrets.mask(issue.message),
  }))
  const errors = errorsIn(issues).length
  const counts = { errors, warnings: issues.length - errors, issues }
  if (!loaded.ok) return { ok: false, dir, ...counts }
  const {
    manifest: { name, version },
    skills,
    knowledge,
    stores,
  } = loaded.value
  const agent = {
    name,
    version,
    skills: skills.length,
    knowledge: knowledge.length,
    stores: stores.length,
    connections: connectionsOf(loaded.value).length,
    folders: countsIn(loaded.value, generation),
  }
  const failing = asked['strict'] === true ? issues.length : errors
  return { ok: failing === 0, dir, agent, ...counts }
}

/** The bundle as a start would have it: with what other plugins read and say of it. */
export async function asLoaded(bundle: AgentBundle, generation: Generation): Promise<AgentBundle> {
  const { load, check } = hooksOf(generation).bundle
  const failed = (message: string): BundleIssue => ({
    severity: 'error',
    code: 'PLUGIN_FAILED',
    message,
  })
  const merged = await load.call(bundle, {
    where: bundle.root ?? '',
    load: () => Promise.resolve({ ok: true, value: bundle }),
  })
  if (!merged.ok) return { ...bundle, issues: [...bundle.issues, failed(merged.error.message)] }
  const issues = [...merged.value.issues]
  const checked = await check.call(merged.value, issues)
  return {
    ...merged.value,
    issues: checked.ok ? issues : [...issues, failed(checked.error.message)],
  }
}

/** How many parts were made of each folder that a plugin reads. */
const countsIn = (bundle: AgentBundle, generation: Generation): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...generation.registry(FolderCounts)].map(([folder, count]) => [folder, count(bundle)]),
  )

/** Folders of the second layout: one of which nothing was read would be parts that are missing. */
function unreadFolders(dir: string, { files, ...bundle }: AgentBundle): readonly BundleIssue[] {
  const parts = [...bundle.skills, ...bundle.stores, ...bundle.knowledge]
  const paths = [
    ...[...files, ...parts.map(({ file }) => ({ path: file }))].map(({ path }) => path),
    bundle.instructions?.file ?? '',
  ]
  return SECOND_LAYOUT.filter(
    (folder) =>
      existsSync(join(dir, folder)) && !paths.some((path) => path.startsWith(`${folder}/`)),
  ).map((folder) => ({
    severity: 'error',
    code: 'BAD_REPO',
    message: `nothing was read from ${folder}/`,
    file: folder,
    fix: `put the parts into ${folder}/, and see to it that they can be read`,
  }))
}

const SECOND_LAYOUT = ['amodal', 'hooks'] as const

const reasons = ({ code, issues, message }: LoadFailure): readonly BundleIssue[] =>
  issues.length > 0 ? issues : [{ severity: 'error', code, message }]

/** What only shows once it is tried. */
async function tried(
  bundle: AgentBundle,
  generation: Generation,
  asked: CommandContext['options'],
  signal: AbortSignal,
): Promise<readonly BundleIssue[]> {
  const live =
    asked['skip-test'] === true
      ? []
      : [...generation.registry(LiveChecks).values()].map((check) => check(bundle, signal))
  return (
    await Promise.all([
      ...live,
      checkModels(bundle, generation, asked['test-model'] === true, signal),
    ])
  ).flat()
}

function reportLines({ ok, agent, dir, errors, warnings, issues }: Report): readonly string[] {
  const group = (title: string, severity: BundleIssue['severity']): readonly string[] => {
    const lines = issues
      .filter((issue) => issue.severity === severity)
      .map((issue) => `  ${issueLine(issue)}`)
    return lines.length === 0 ? [] : [`${title} (${lines.length})`, ...lines, '']
  }
  const counted = `${count(errors, 'error')}, ${count(warnings, 'warning')}`
  const summary = agent
    ? `${agent.name} ${agent.version}: ${count(agent.skills, 'skill')}, ${count(agent.knowledge, 'knowledge document')}, ${count(agent.stores, 'store')}${agent.connections === 0 ? '' : `, ${count(agent.connections, 'connection')}`}${foldersTold(agent.folders)}`
    : `${dir} cannot be loaded`
  return [
    ...group('Errors', 'error'),
    ...group('Warnings', 'warning'),
    `${ok ? '✓' : '✗'} ${summary} (${counted})`,
  ]
}

const foldersTold = (folders: Readonly<Record<string, number>>): string =>
  Object.entries(folders)
    .filter(([, found]) => found > 0)
    .map(([folder, found]) => `, ${found} of ${folder}/`)
    .join('')

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
