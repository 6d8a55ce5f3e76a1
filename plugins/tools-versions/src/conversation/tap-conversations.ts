import {
  timeLimit,
  type Clock,
  type Database,
  type Generation,
  type HookTaps,
  type JsonObject,
  type Logger,
  type Sealer,
} from '@amodal/sdk'
import { isTrial } from '@amodal/plugin-evals/tokens'
import type { CodeFolders } from '../running/code-folders.ts'
import { runnableVersion } from '../running/runnable-version.ts'
import type { ToolRunner } from '../running/tool-runner.ts'
import { storesOf } from '../storage/stores.ts'
import { checkWhen, readOrgTools } from './org-tool-entries.ts'
import { TurnTools } from './turn-tools.ts'
import type { RunVersion } from './version-tool.ts'

interface Parts {
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly folders: CodeFolders
  readonly runner: ToolRunner
  readonly timeoutMs: number
  readonly log: Logger
}

/** ms in which the references to a session that was removed have to be gone. */
const FORGET_MS = 5_000

/** Reads and checks what the agent's files say, also where no database is. */
export function tapOrgToolEntries(hooks: HookTaps): void {
  hooks.bundle.load.tap((bundle) => readOrgTools(bundle))
  hooks.bundle.check.tap((bundle, issues) => checkWhen(bundle, issues))
}

/** Gives conversations the tools of their organization. */
export function tapConversations(
  hooks: HookTaps,
  generation: () => Generation,
  parts: Parts,
): void {
  const { database, sealer, clock, log, timeoutMs } = parts
  const turns = new TurnTools({
    versionsOf: (tenant) => storesOf(database, sealer, tenant).versions,
    run: runVersion(parts),
    timeoutMs,
  })
  // before the taps that leave tools out
  hooks.tools.list.tap((list, ctx) => turns.list(list, ctx, generation().scope), {
    stage: 'early',
  })
  hooks.state.leave.thinking.tap((exit, _state, ctx) => turns.record(exit, ctx, clock.now()))
  // invocations stay, without what refers to their conversation
  hooks.session.close.tap(async ({ tenant, session }, reason) => {
    if (reason !== 'removed' && reason !== 'expired') return
    const limit = timeLimit(FORGET_MS, 'forgetting a session')
    const { invocations } = storesOf(database, sealer, tenant)
    const forgotten = await invocations.forget(session, undefined, limit)
    if (!forgotten.ok)
      log.warn('tools_versions.not_forgotten', { session, message: forgotten.error.message })
  })
}

const runVersion =
  ({ database, sealer, folders, runner }: Parts): RunVersion =>
  async ({ tool, name }, version, toolInput, ctx) => {
    const { tenant, session, run, principal, context, signal } = ctx
    const { versions, variables, invocations } = storesOf(database, sealer, tenant)
    const runnable = await runnableVersion({ id: tool, name }, version, versions, folders)
    if (!runnable.ok) return runnable
    const opened = await variables.open(tool, signal)
    if (!opened.ok) return opened
    const isSimulation = isTrial(ctx)
    const conversation = {
      id: session,
      interaction: run,
      context: { conversation_id: session, interaction_id: run, principal, context },
    }
    return runner.run(
      runnable.value,
      {
        tenant,
        principal,
        source: isSimulation ? 'simulation' : 'conversation',
        mode: isSimulation ? 'conversation-simulation' : 'regular',
        toolInput,
        userVariables: {},
        conversation,
      },
      opened.value,
      invocations,
      signal,
      (event) => ctx.progress({ type: 'tool_log', tool_name: name, message: statusText(event) }),
    )
  }

const MOST_STATUS_CHARS = 2_000

/** `message` of a status event, or all of it. */
function statusText(event: JsonObject): string {
  const { message } = event
  const text = typeof message === 'string' ? message : JSON.stringify(event)
  return text.slice(0, MOST_STATUS_CHARS)
}
