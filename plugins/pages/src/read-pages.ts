import type { AgentBundle, BundleIssue, JsonObject } from '@amodal/sdk'
import { titleOf } from '@amodal/sdk/files'
import { automationsOf } from '@amodal/plugin-automations/tokens'
import type { BuiltPage, PageFiles } from './bundler.ts'
import type { ModuleFacts } from './module-facts.ts'
import type { PageBuilds } from './page-builds.ts'
import { readConfig, type PageConfig } from './page-config.ts'
import type { PageInfo, PageProblem } from './protocol.ts'

/** Where the bundle holds its pages. */
export const PART = 'pages'
/** Files below a folder of `pages/` are parts of pages. */
const PAGE = /^pages\/[^/]+\.[tj]sx$/

/** A page as the bundle holds it: its script is found by its hash. */
export type StoredPage = Omit<PageInfo, 'build' | 'problems'> & {
  readonly hash: string
  readonly shape: string
}

/** The pages of a bundle, and what is wrong with those that are missing among them. */
export interface ReadPages {
  readonly pages: readonly StoredPage[]
  /** By path of the page. */
  readonly problems: ReadonlyMap<string, readonly PageProblem[]>
  readonly warnings: readonly PageProblem[]
}

interface Candidate {
  readonly file: string
  readonly facts: ModuleFacts
  readonly config: PageConfig
  readonly built: BuiltPage
}

/** The pages of a bundle that {@link readPages} has read. */
export const pagesOf = ({ parts }: Pick<AgentBundle, 'parts'>): readonly StoredPage[] =>
  (parts[PART] ?? []) as unknown as readonly StoredPage[] // written by `withPages`

/** Files of `pages/`, by path. */
export const pageFiles = ({ files }: Pick<AgentBundle, 'files'>): PageFiles =>
  new Map(
    files.flatMap(({ path, text }) => (path.startsWith('pages/') ? [[path, text] as const] : [])),
  )

/** Whether a file is a page of its own, if it has a component. */
export const isPage = (file: string): boolean => PAGE.test(file)

/** The bundle with its pages and with what is wrong with them. */
export function withPages(
  bundle: AgentBundle,
  { pages, problems, warnings }: ReadPages,
): AgentBundle {
  return {
    ...bundle,
    issues: [
      ...bundle.issues,
      ...[...problems.values()].flat().map((problem) => issueOf('error', problem)),
      ...warnings.map((problem) => issueOf('warning', problem)),
    ],
    parts: {
      ...bundle.parts,
      [PART]: JSON.parse(JSON.stringify(pages)) as readonly JsonObject[],
    },
  }
}

const issueOf = (
  severity: BundleIssue['severity'],
  { message, file, line, fix }: PageProblem,
): BundleIssue => ({
  severity,
  code: 'BAD_REPO',
  message,
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
  ...(fix !== undefined && { fix }),
})

/** Builds every page. One that cannot be built is left out, and the others are there. */
export async function readPages(
  bundle: AgentBundle,
  files: PageFiles,
  builds: PageBuilds,
): Promise<ReadPages> {
  const problems = new Map<string, readonly PageProblem[]>()
  const warnings: PageProblem[] = []
  const entries = [...files.keys()].filter(isPage).sort()
  const read = await Promise.all(entries.map((file) => readEntry(file, files, builds)))
  const imported = new Set(
    read.flatMap((entry) =>
      'built' in entry ? entry.built.inputs.filter((path) => path !== entry.file) : [],
    ),
  )
  const byName = new Map<string, Candidate>()
  for (const entry of read) {
    if (!('built' in entry)) {
      // A file that others import needs no component of its own.
      const own = imported.has(entry.file) && entry.isPart ? [] : entry.problems
      if (own.length > 0) problems.set(entry.file, own)
      continue
    }
    warnings.push(...entry.warnings)
    const other = byName.get(entry.config.name)
    if (other) problems.set(entry.file, [duplicate(entry, other)])
    else byName.set(entry.config.name, entry)
  }
  builds.retain(new Set(entries))
  const pages: StoredPage[] = []
  for (const candidate of byName.values()) {
    const uses = await usesOf(candidate, files, builds)
    warnings.push(...misfits(candidate, uses, bundle))
    pages.push(storedPage(candidate, uses))
  }
  return { pages, problems, warnings }
}

type ReadEntry =
  | (Candidate & { readonly warnings: readonly PageProblem[] })
  | {
      readonly file: string
      readonly problems: readonly PageProblem[]
      /** It lacks nothing but a component. */
      readonly isPart: boolean
    }

async function readEntry(file: string, files: PageFiles, builds: PageBuilds): Promise<ReadEntry> {
  const [facts, built] = await Promise.all([
    builds.facts(file, files.get(file) ?? ''),
    builds.build(file, files),
  ])
  if (facts.problems.length > 0) return { file, problems: facts.problems, isPart: false }
  if (!facts.hasDefault)
    return {
      file,
      isPart: true,
      problems: [
        {
          file,
          line: facts.lineOf(''),
          message: 'this page has no default export',
          fix: 'export its component: `export default function Page() { … }`',
        },
      ],
    }
  const { config, problems, warnings } = readConfig(file, facts)
  if (!config) return { file, problems, isPart: false }
  return built.ok
    ? { file, facts, config, built: built.value, warnings }
    : { file, problems: built.error.map((one) => ({ file, ...one })), isPart: false }
}

const duplicate = ({ file, config, facts }: Candidate, other: Candidate): PageProblem => ({
  file,
  line: facts.lineOf('name'),
  message: `there is another page "${config.name}": ${other.file}`,
  fix: 'give one of them another `name`',
})

interface Uses {
  readonly stores: readonly {
    readonly name: string
    readonly file: string
    readonly line: number
  }[]
  readonly skills: readonly {
    readonly name: string
    readonly file: string
    readonly line: number
  }[]
}

/** Stores and skills that a page and its parts name. */
async function usesOf({ built }: Candidate, files: PageFiles, builds: PageBuilds): Promise<Uses> {
  const modules = built.inputs.filter((path) => /\.[tj]sx?$/.test(path))
  const facts = await Promise.all(
    modules.map(async (file) => ({ file, facts: await builds.facts(file, files.get(file) ?? '') })),
  )
  return {
    stores: facts.flatMap((one) => one.facts.reads.map((read) => ({ ...read, file: one.file }))),
    skills: facts.flatMap((one) => one.facts.skills.map((use) => ({ ...use, file: one.file }))),
  }
}

/** What the page names and the agent does not have: it loads, and that part of it fails. */
function misfits(
  { file, config, facts }: Candidate,
  uses: Uses,
  bundle: AgentBundle,
): readonly PageProblem[] {
  const stores = new Set(bundle.stores.map(({ name }) => name))
  const skills = new Set(bundle.skills.map(({ name }) => name))
  const automations = new Set(automationsOf(bundle).map(({ name }) => name))
  const { stores: declared } = config
  const found: PageProblem[] = []
  const listed = (
    field: 'stores' | 'automations',
    known: ReadonlySet<string>,
    kind: string,
  ): void => {
    for (const [index, name] of (config[field] ?? []).entries())
      if (!known.has(name))
        found.push({
          file,
          line: facts.lineOf(`${field}.${index}`),
          message: `there is no ${kind} "${name}"`,
          fix: `add ${field}/${name}.json, or remove it from \`page.${field}\``,
        })
  }
  listed('stores', stores, 'store')
  listed('automations', automations, 'automation')
  for (const use of uses.stores) {
    const { name, ...place } = use
    if (declared && !declared.includes(name))
      found.push({
        ...place,
        message: `this page does not declare the store "${name}", so it cannot read it`,
        fix: 'add it to `page.stores`',
      })
    else if (!stores.has(name))
      found.push({
        ...place,
        message: `there is no store "${name}"`,
        fix: `add stores/${name}.json, or name another one`,
      })
  }
  for (const { name, ...place } of uses.skills)
    if (!skills.has(name))
      found.push({
        ...place,
        message: `there is no skill "${name}"`,
        fix: `add skills/${name}/SKILL.md, or name another one`,
      })
  return found.filter(
    (one, at) =>
      found.findIndex((other) => other.message === one.message && other.line === one.line) === at,
  )
}

const unique = (names: readonly { readonly name: string }[]): readonly string[] => [
  ...new Set(names.map(({ name }) => name)),
]

function storedPage({ file, config, built }: Candidate, uses: Uses): StoredPage {
  const { name, title, description, icon, hidden, stores, automations, context } = config
  return {
    name,
    title: title ?? titleOf(name),
    file,
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
    hidden: hidden ?? false,
    stores: stores ?? unique(uses.stores),
    automations: automations ?? [],
    skills: unique(uses.skills),
    context: context ?? {},
    hash: built.hash,
    shape: built.shape,
  }
}
