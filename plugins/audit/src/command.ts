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
import { acknowledge, type AcknowledgeOptions, acknowledgeProblem } from './acknowledge-action.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { type CheckpointPlaces, type CheckpointSet, readCheckpoints } from './checkpoint-set.ts'
import { DatabaseChains } from './database-store.ts'
import type { AuditLine } from './line.ts'
import { filed } from './line-file.ts'
import { KEY_VARIABLE, signerOf } from './signer.ts'
import { verify, verifyLines } from './verify-action.ts'
import { orFail, type Work } from './work.ts'

const ACTIONS = ['show', 'verify', 'acknowledge', 'export'] as const
type Action = (typeof ACTIONS)[number]

/** Where this agent keeps its checkpoints. */
export type OwnPlaces = Omit<CheckpointPlaces, 'given' | 'key'>

const HELP: Omit<Command, 'run'> = {
  summary: 'Show, check or export the audit log',
  usage:
    'amodal ops audit [show | verify | acknowledge ID | export] [--tenant T] [--session ID] [--limit N] [--checkpoints PATH] [--file PATH] [--reason TEXT] [--principal NAME] [--json]',
  about: [
    '`verify` ends with 1, and names the line at fault, where the log was changed or cut, where checkpoints are missing, and where',
    "lines are in no checkpoint. Name a copy of the checkpoints that is kept elsewhere: who can write the agent's folder and its",
    'database could have put both back to an earlier state. Behind each finding of a line stands its ID: `acknowledge ID` writes into the',
    'log that somebody knows of it and why. From then on verify lists it and does not fail for it, until what it is about is changed again.',
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
    [
      'amodal ops audit acknowledge 7:4f… --reason "restored by hand, ticket 4417" --principal jwt:anna',
      'acknowledge a finding of verify',
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
    reason: { type: 'string', description: 'Why a finding is acknowledged, in one line' },
    principal: { type: 'string', description: 'Who acknowledges it' },
    json: { type: 'boolean', description: 'One JSON object a line' },
  },
}

/** `amodal ops audit [show | verify | acknowledge | export]`. */
export const auditCommand = (places: OwnPlaces, now: () => number): Command => ({
  ...HELP,
  async run(context) {
    const {
      arguments: [given = 'show', id],
      options,
      fail,
      start,
    } = context
    const action = ACTIONS.find((one) => one === given)
    if (!action) {
      fail(`amodal ops audit: there is no "${given}"; it takes ${ACTIONS.join(', ')}`)
      return 2
    }
    const by = {
      id,
      reason: textOption(options, 'reason'),
      principal: textOption(options, 'principal'),
    }
    const wrong = action === 'acknowledge' ? acknowledgeProblem(by) : undefined
    if (wrong !== undefined) {
      fail(wrong)
      return 2
    }
    const file = textOption(options, 'file')
    if (action === 'verify' && file !== undefined)
      return verifyLines(
        resolve(file),
        () => checkpointsOf({ ...places, key: undefined }, context, now),
        context,
      )
    const work = await workOf(await start({ only: ['audit'] }), places, now, context)
    if (!work) {
      fail('amodal ops audit: this agent keeps its audit log in memory; there is nothing to read')
      return 1
    }
    return act(action, work, by)
  },
})

function textOption(options: CommandContext['options'], name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** @returns `undefined` where the log is in memory */
async function workOf(
  { scope }: Kernel,
  places: OwnPlaces,
  now: () => number,
  context: CommandContext,
): Promise<Work | undefined> {
  const { options, print, fail, signal } = context
  const database = scope.find(Database)
  if (!database || !scope.has(AuditTrail)) return undefined
  const store = new DatabaseChains(database)
  const all = orFail(await store.tenants(signal))
  const tenant = textOption(options, 'tenant')
  const pem = scope.find(Secrets)?.get(KEY_VARIABLE)
  const key = pem === undefined ? undefined : signerOf(pem)
  return {
    store,
    acknowledgements: scope.find(Acknowledgements),
    checkpoints: () => checkpointsOf({ ...places, key }, context, now),
    now,
    only: tenant !== undefined,
    tenants: tenant === undefined ? all : [tenantId(tenant)],
    session: textOption(options, 'session'),
    limit: Number(options['limit']) || 50,
    json: options['json'] === true,
    print,
    fail,
    signal,
  }
}

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

async function act(action: Action, work: Work, by: AcknowledgeOptions): Promise<number> {
  switch (action) {
    case 'show':
      return show(work)
    case 'verify':
      return verify(work)
    case 'acknowledge':
      return acknowledge(work, by)
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
