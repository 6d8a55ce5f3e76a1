import { resolve } from 'node:path'
import {
  AuditTrail,
  type Command,
  type CommandContext,
  Database,
  type Failure,
  type Kernel,
  never,
  type Result,
  Secrets,
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { type CheckpointPlaces, type CheckpointSet, readCheckpoints } from './checkpoint-set.ts'
import { DatabaseChains } from './database-store.ts'
import type { AuditLine } from './line.ts'
import { filed } from './line-file.ts'
import { KEY_VARIABLE, signerOf } from './signer.ts'
import type { ChainStore } from './store.ts'
import { type Verdict, verifyChain, verifyFile } from './verify.ts'

const ACTIONS = ['show', 'verify', 'export'] as const
type Action = (typeof ACTIONS)[number]

/** Where this agent keeps its checkpoints. */
export type OwnPlaces = Omit<CheckpointPlaces, 'given' | 'key'>

/** `amodal ops audit [show | verify | export]`. */
export const auditCommand = (places: OwnPlaces, now: () => number): Command => ({
  summary: 'Show, check or export the audit log',
  usage:
    'amodal ops audit [show | verify | export] [--tenant T] [--session ID] [--limit N] [--checkpoints PATH] [--file PATH] [--json]',
  about: [
    '`verify` ends with 1, and names the line at fault, where the log was changed or cut, where checkpoints are missing, and where',
    "lines are in no checkpoint. Name a copy of the checkpoints that is kept elsewhere: who can write the agent's folder and its",
    'database could have put both back to an earlier state.',
  ],
  examples: [
    [
      'amodal ops audit verify --checkpoints /mnt/elsewhere/audit',
      'check the log against checkpoints that were kept elsewhere',
    ],
    [
      'amodal ops audit verify --file audit.jsonl',
      'check an export, or the file that lines are added to; the database is not asked',
    ],
  ],
  options: {
    tenant: { type: 'string', description: 'One tenant; all where it is left out' },
    session: { type: 'string', description: 'Lines of one session' },
    limit: { type: 'string', description: 'Lines to show of each tenant', default: '50' },
    checkpoints: {
      type: 'string',
      multiple: true,
      description:
        'A folder or file of checkpoints that is kept elsewhere, for verify; may be given again',
    },
    file: { type: 'string', description: 'A file of lines to verify instead of the database' },
    json: { type: 'boolean', description: 'One JSON object a line' },
  },
  async run(context) {
    const {
      arguments: [given = 'show'],
      options,
      print,
      fail,
      signal,
      start,
    } = context
    const action = ACTIONS.find((one) => one === given)
    if (!action) {
      fail(`amodal ops audit: there is no "${given}"; it takes ${ACTIONS.join(', ')}`)
      return 2
    }
    const file = options['file']
    if (action === 'verify' && typeof file === 'string')
      return verifyLines(
        resolve(file),
        () => checkpointsOf({ ...places, key: undefined }, context, now),
        context,
      )
    const kernel = await start({ only: ['audit'] })
    const store = storeOf(kernel)
    if (!store) {
      fail('amodal ops audit: this agent keeps its audit log in memory; there is nothing to read')
      return 1
    }
    const all = orFail(await store.tenants(signal))
    const known = typeof options['tenant'] === 'string' ? [tenantId(options['tenant'])] : all
    const session = typeof options['session'] === 'string' ? options['session'] : undefined
    const pem = kernel.scope.find(Secrets)?.get(KEY_VARIABLE)
    const key = pem === undefined ? undefined : signerOf(pem)
    const checkpoints = (): Promise<Result<CheckpointSet, Failure>> =>
      checkpointsOf({ ...places, key }, context, now)
    return act(action, {
      store,
      checkpoints,
      now,
      only: typeof options['tenant'] === 'string',
      tenants: known,
      session,
      limit: Number(options['limit']) || 50,
      json: options['json'] === true,
      print,
      fail,
      signal,
    })
  },
})

function checkpointsOf(
  own: Omit<CheckpointPlaces, 'given'>,
  { options, signal }: CommandContext,
  now: () => number,
): Promise<Result<CheckpointSet, Failure>> {
  const given = options['checkpoints']
  return readCheckpoints(
    { ...own, given: (Array.isArray(given) ? given : []).map(String) },
    now,
    signal,
  )
}

interface Work {
  readonly store: ChainStore
  readonly checkpoints: () => Promise<Result<CheckpointSet, Failure>>
  readonly now: () => number
  /** Of the tenants that are named. */
  readonly only: boolean
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
    case 'show':
      return show(work)
    case 'verify':
      return verify(work)
    case 'export':
      return exportAll(work)
    default:
      return never(action)
  }
}

/** The newest lines of each tenant. */
async function show({
  store,
  tenants,
  session,
  limit,
  json,
  print,
  signal,
}: Work): Promise<number> {
  for (const tenant of tenants) {
    const head = orFail(await store.head(tenant, signal))
    const after = session === undefined ? Math.max(0, head.n - limit) : 0
    const lines = orFail(
      await store.read(
        tenant,
        { after, limit, ...(session === undefined ? {} : { session }) },
        signal,
      ),
    )
    for (const line of lines) print(json ? filed(line, tenant).trimEnd() : asText(line, tenant))
  }
  return 0
}

async function verify({
  store,
  tenants,
  only,
  checkpoints,
  now,
  print,
  fail,
  signal,
}: Work): Promise<number> {
  const set = orFail(await checkpoints())
  const verdicts: Verdict[] = []
  const signed = only ? [] : [...set.signed.keys()].map(tenantId)
  for (const tenant of new Set([...tenants, ...signed]))
    verdicts.push(orFail(await verifyChain({ store, checkpoints, now, signal }, tenant, set)))
  return tell({ set, verdicts, problems: [] }, print, fail)
}

async function verifyLines(
  file: string,
  checkpoints: () => Promise<Result<CheckpointSet, Failure>>,
  { print, fail }: CommandContext,
): Promise<number> {
  const set = orFail(await checkpoints())
  return tell({ set, ...(await verifyFile(file, set)) }, print, fail)
}

const ABSENT =
  "there are no checkpoints of this audit log in the agent's folder: this server has never run, or they were removed. Put back a copy of them: " +
  'without them nobody can say that the log was not cut'

interface Found {
  readonly set: CheckpointSet
  readonly verdicts: readonly Verdict[]
  readonly problems: readonly string[]
}

/** @returns the exit code */
function tell(
  { set, verdicts, problems }: Found,
  print: (line: string) => void,
  fail: (line: string) => void,
): number {
  const absent = set.isAbsent ? [ABSENT] : []
  const general = [...set.problems, ...problems, ...absent]
  for (const problem of general) fail(`✗ ${problem}`)
  for (const note of set.notes) print(`! ${note}`)
  let bad = general.length
  for (const { tenant, lines, problems: own, notes } of verdicts) {
    for (const problem of own) fail(`✗ ${tenant}: ${problem}`)
    for (const note of notes) print(`! ${tenant}: ${note}`)
    bad += own.length
    if (own.length === 0)
      print(`✓ ${tenant}: ${lines} lines, ${set.signed.get(tenant)?.size ?? 0} checkpoints`)
  }
  return bad === 0 ? 0 : 1
}

async function exportAll({ store, tenants, print, signal }: Work): Promise<number> {
  for (const tenant of tenants) {
    for (let after = 0; ;) {
      const lines = orFail(await store.read(tenant, { after, limit: 1_000 }, signal))
      for (const line of lines) print(filed(line, tenant).trimEnd())
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

function asText({ n, body }: AuditLine, tenant: TenantId): string {
  if (body === '') return `${tenant} ${n}  (erased)`
  const {
    at,
    kind,
    principal = '–',
    session = '–',
    data = {},
    // written by us; `verify` checks it
  } = JSON.parse(body) as Readonly<Record<string, string>> & { readonly data?: object }
  return `${tenant} ${n}  ${at}  ${kind}  ${principal}  ${session}  ${JSON.stringify(data)}`
}

/** A command that cannot read ends with what is wrong. */
function orFail<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Error(result.error.message, { cause: result.error })
}
