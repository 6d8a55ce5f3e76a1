import { AuditTrail, type Command, Database, type Failure, type Kernel, never, type Result, tenantId, type TenantId } from '@amodal/sdk'
import { readCheckpoints } from './checkpoints.ts'
import { DatabaseChains } from './database-store.ts'
import type { AuditLine } from './line.ts'
import type { ChainStore } from './store.ts'
import { verifyChain } from './verify.ts'

const ACTIONS = ['show', 'verify', 'export'] as const
type Action = (typeof ACTIONS)[number]

/** `amodal ops audit [show | verify | export]`. */
export const auditCommand = (folder: string | undefined): Command => ({
  summary: 'Show, check or export the audit log',
  usage: 'amodal ops audit [show | verify | export] [--tenant T] [--session ID] [--limit N] [--json]',
  options: {
    tenant: { type: 'string', description: 'One tenant; all where it is left out' },
    session: { type: 'string', description: 'Lines of one session' },
    limit: { type: 'string', description: 'Lines to show of each tenant', default: '50' },
    json: { type: 'boolean', description: 'One JSON object a line' },
  },
  async run({ arguments: [given = 'show'], options, print, fail, signal, start }) {
    const action = ACTIONS.find((one) => one === given)
    if (!action) {
      fail(`amodal ops audit: there is no "${given}"; it takes ${ACTIONS.join(', ')}`)
      return 2
    }
    const kernel = await start({ only: ['audit'] })
    const store = storeOf(kernel)
    if (!store) {
      fail('amodal ops audit: this agent keeps its audit log in memory; there is nothing to read')
      return 1
    }
    const known = typeof options['tenant'] === 'string' ? [tenantId(options['tenant'])] : orFail(await store.tenants(signal))
    const session = typeof options['session'] === 'string' ? options['session'] : undefined
    return act(action, { store, folder, tenants: known, session, limit: Number(options['limit']) || 50, json: options['json'] === true, print, fail, signal })
  },
})

interface Work {
  readonly store: ChainStore
  readonly folder: string | undefined
  readonly tenants: readonly TenantId[]
  readonly session: string | undefined
  readonly limit: number
  readonly json: boolean
  readonly print: (line: string) => void
  readonly fail: (line: string) => void
  readonly signal: AbortSignal
}

async function act(action: Action, work: Work): Promise<number> {
  switch (action) {
    case 'show': return show(work)
    case 'verify': return verify(work)
    case 'export': return exportAll(work)
    default: return never(action)
  }
}

/** The newest lines of each tenant. */
async function show({ store, tenants, session, limit, json, print, signal }: Work): Promise<number> {
  for (const tenant of tenants) {
    const head = orFail(await store.head(tenant, signal))
    const after = session === undefined ? Math.max(0, head.n - limit) : 0
    for (const line of orFail(await store.read(tenant, { after, limit, ...(session === undefined ? {} : { session }) }, signal))) print(json ? asJson(line) : asText(line))
  }
  return 0
}

async function verify({ store, tenants, folder, print, fail, signal }: Work): Promise<number> {
  const signed = folder === undefined ? { checkpoints: [], problems: [] } : orFail(readCheckpoints(folder))
  for (const problem of signed.problems) fail(problem)
  let bad = signed.problems.length
  for (const tenant of new Set([...tenants, ...signed.checkpoints.map((one) => tenantId(one.tenant))])) {
    const { lines, problems } = orFail(await verifyChain(store, tenant, signed.checkpoints, signal))
    for (const problem of problems) fail(`✗ ${tenant}: ${problem}`)
    bad += problems.length
    if (problems.length === 0) print(`✓ ${tenant}: ${lines} lines, ${signed.checkpoints.filter((one) => one.tenant === tenant).length} checkpoints`)
  }
  return bad === 0 ? 0 : 1
}

async function exportAll({ store, tenants, print, signal }: Work): Promise<number> {
  for (const tenant of tenants) {
    for (let after = 0; ;) {
      const lines = orFail(await store.read(tenant, { after, limit: 1_000 }, signal))
      for (const line of lines) print(asJson(line))
      const last = lines.at(-1)
      if (!last) break
      after = last.n
    }
  }
  return 0
}

function storeOf({ scope }: Kernel): ChainStore | undefined {
  const database = scope.find(Database)
  return database && scope.has(AuditTrail) ? new DatabaseChains(database) : undefined
}

const asJson = ({ body, hash }: AuditLine): string => `{"hash":"${hash}","line":${body}}`

function asText({ n, body }: AuditLine): string {
  const { tenant, at, kind, principal = '–', session = '–', data = {} } = JSON.parse(body) as Readonly<Record<string, string>> & { readonly data?: object } // written by us; `verify` checks it
  return `${tenant} ${n}  ${at}  ${kind}  ${principal}  ${session}  ${JSON.stringify(data)}`
}

/** A command that cannot read ends with what is wrong. */
function orFail<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Error(result.error.message, { cause: result.error })
}
