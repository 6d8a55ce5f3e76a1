import { budgetOf } from '@amodal/plugin-prompt/tokens'
import type { Agent, AgentBundle, BundleIssue, Inspection, ModelStatus } from '@amodal/sdk'
import type { ResumedSession } from './resumed-session.ts'

type Compiled = Awaited<ReturnType<Agent['compiled']>>
type Model = Extract<Compiled, { readonly ok: true }>['value']['model']

/** Facts about a server that has just started. */
export interface Started {
  readonly bundle: AgentBundle | undefined
  readonly compiled: Compiled
  readonly models: readonly ModelStatus[]
  /** Prefixes that are mounted. */
  readonly routes: readonly string[]
  readonly inspection: Inspection
  readonly url?: string
  /** The local token that approvals need; the printed link to the studio carries it. */
  readonly token?: string | undefined
  /** The name under which this command line was called. */
  readonly program: string
  /** The session of `--resume`. */
  readonly session?: ResumedSession
}

/** Issues that are printed in full; the rest are counted. */
const MAX_ISSUES = 5

/** The lines that `amodal dev` prints once it serves. */
export function banner({
  bundle,
  compiled,
  models,
  routes,
  inspection,
  url,
  token,
  program,
  session,
}: Started): readonly string[] {
  return [
    '',
    ...(bundle
      ? [`✓ ${bundle.manifest.name} ${bundle.manifest.version}: ${contents(bundle)}`]
      : ['! No files: the agent has neither a name nor knowledge']),
    ...(compiled.ok
      ? [budgetLine(compiled.value)]
      : [`✗ The context cannot be compiled: ${compiled.error.code}: ${compiled.error.message}`]),
    ...storeLines(bundle, inspection),
    ...modelLines(compiled.ok ? compiled.value.model : undefined, bundle, models),
    ...issueLines(bundle?.issues ?? []),
    '',
    'Runtime ready:',
    ...(url === undefined ? [] : endpointLines(url, routes, token)),
    ...(session && url !== undefined ? sessionLines(url, routes, program, session) : []),
    ...watchLine(inspection),
    '',
  ]
}

/** Where a session can be resumed: on its page, if there is one, and in a terminal. */
const sessionLines = (
  url: string,
  routes: readonly string[],
  program: string,
  { id, title }: ResumedSession,
): readonly string[] => [
  '',
  `Goes on: ${title === '' ? id : `"${title}" (${id})`}`,
  ...(routes.includes('/') ? [`  Studio   → ${url}/#/chat/${encodeURIComponent(id)}`] : []),
  `  Terminal → ${program} chat --url ${url} --resume ${id}`,
]

function watchLine({ plugins }: Inspection): readonly string[] {
  const config = plugins.find(({ name }) => name === 'repo-watch')?.config
  const ms: unknown =
    typeof config === 'object' && config !== null && 'debounceMs' in config
      ? config.debounceMs
      : undefined
  return typeof ms === 'number' ? ['', `Watching for changes (${ms}ms debounce)...`] : []
}

/** Endpoints that people look for first; each is printed if a plugin serves it. */
const ENDPOINTS: readonly {
  readonly name: string
  readonly path: string
  readonly about: string
}[] = [
  { name: 'Studio', path: '/', about: '  (in a browser)' },
  { name: 'Chat', path: '/chat/stream', about: '  (POST {"message": "…"})' },
  { name: 'Sessions', path: '/sessions', about: '' },
  { name: 'Stores', path: '/api/stores', about: '' },
  { name: 'Health', path: '/health', about: '' },
  { name: 'Inspect', path: '/inspect/context', about: '' },
]

function endpointLines(
  url: string,
  routes: readonly string[],
  token: string | undefined,
): readonly string[] {
  const served = ENDPOINTS.filter(({ path }) =>
    routes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  )
  return served.map(
    ({ name, path, about }) =>
      `  ${name.padEnd(8)} → ${url}${path}${path === '/' && token !== undefined ? `#token=${token}` : ''}${about}`,
  )
}

const contents = ({ skills, knowledge, stores }: AgentBundle): string =>
  [
    count(skills.length, 'skill'),
    count(knowledge.length, 'knowledge document'),
    count(stores.length, 'store'),
  ].join(', ')
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

function budgetLine({ prompt, tools }: Extract<Compiled, { readonly ok: true }>['value']): string {
  const { total, window, available } = budgetOf(prompt, tools)
  const used = `${number(total)} / ${number(window)} (${((total / window) * 100).toFixed(1)}%)`
  return available >= 0
    ? `✓ Token budget: ${used}`
    : `✗ Token budget: ${used}: the context alone is longer than the window; \`amodal inspect\` shows what takes the room`
}

function storeLines(bundle: AgentBundle | undefined, { slots }: Inspection): readonly string[] {
  if (!bundle || bundle.stores.length === 0) return []
  const providers = ['store-backend', 'database'].flatMap(
    (id) => slots.find((slot) => slot.id === id)?.provider ?? [],
  )
  return [`✓ Stores: ${bundle.stores.map(({ name }) => name).join(', ')} (${providers.join(', ')})`]
}

function modelLines(
  model: Model,
  bundle: AgentBundle | undefined,
  models: readonly ModelStatus[],
): readonly string[] {
  if (!model) {
    const variables = models.flatMap(({ envVar }) => envVar ?? [])
    return [
      `✗ No model, so the agent cannot answer. Set ${variables.join(', ')}, or \`models.main\` in amodal.json`,
    ]
  }
  if (model.notice !== undefined)
    return [`! Model: ${model.provider}/${model.model}. ${model.notice}`]
  const named = bundle?.manifest.models.main
  const status = models.find(({ provider }) => provider === model.provider)
  if (!status) {
    const providers = models.map(({ provider }) => provider).join(', ')
    return [
      `✗ Model: ${model.provider}/${model.model}, but there is no provider "${model.provider}". There are: ${providers}`,
    ]
  }
  const keyless =
    named !== undefined &&
    named.apiKey === undefined &&
    named.baseUrl === undefined &&
    status.keySet === false
  return [
    keyless
      ? `✗ Model: ${model.provider}/${model.model}, but ${status.envVar ?? 'its key'} is not set`
      : `✓ Model: ${model.provider}/${model.model}`,
  ]
}

function issueLines(issues: readonly BundleIssue[]): readonly string[] {
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(
      ({ severity, file, line, message }) =>
        `${severity === 'error' ? '✗' : '!'} ${[file, line].filter((part) => part !== undefined).join(':')}  ${message}`,
    )
  return issues.length > MAX_ISSUES
    ? [...lines, `  and ${issues.length - MAX_ISSUES} more: see \`amodal validate\``]
    : lines
}

/**
 * Groups digits without `toLocaleString`, which first loads the tables of every locale: that takes
 * longer than anything else here.
 */
const number = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')
