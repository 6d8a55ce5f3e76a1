import { join } from 'node:path'
import {
  type Clock,
  hashOf,
  isObject,
  type JsonObject,
  mapTexts,
  type Outbound,
  type Secrets,
  sha256,
  type ToolContext,
  type ToolResult,
} from '@amodal/sdk'
import { stateOfCall } from '@amodal/plugin-live-state/tokens'
import type { HandlerTool } from './custom-tool.ts'
import type { Handlers } from './handlers.ts'
import { CallHelper } from './helper.ts'
import type { Outcome } from './process/handler-process.ts'
import type { HandlerPool, Kind } from './process/pool.ts'
import { shape } from './shaping.ts'

export interface HandlerParts {
  readonly handlers: Handlers
  readonly pool: HandlerPool
  readonly outbound: Outbound
  readonly secrets: Secrets
  readonly clock: Clock
}

/** Calls a handler in its process, and converts its outcome to a tool result. */
export async function runHandler(
  tool: HandlerTool,
  args: JsonObject,
  ctx: ToolContext,
  { handlers, pool, outbound, secrets, clock }: HandlerParts,
): Promise<ToolResult> {
  const {
    root: agentRoot,
    manifest: { name: agentId },
  } = ctx.bundle
  const root = agentRoot === undefined ? undefined : join(agentRoot, tool.root ?? '')
  if (root === undefined)
    return {
      status: 'error',
      code: 'UNREADABLE',
      message: `"${tool.name}" has a handler, and this agent has no folder to load it from.`,
    }
  const mask = (text: string): string => secrets.mask(text)
  const helper = new CallHelper(tool, ctx, {
    outbound,
    launcher: handlers.launcher,
    place: handlers.place(root, tool),
    mask,
    clock,
    repo: root,
  })
  const env = variablesOf(tool, secrets)
  const kind: Kind = {
    // Tenants never share a process, so one tenant's call cannot see state of another's.
    key: hashOf([tool.digest, tool.entry, ctx.tenant, env]),
    digest: tool.digest,
    start: (signal) =>
      handlers.start(root, tool, env, {
        loaded: { digest: tool.digest, files: ctx.bundle.files },
        signal,
      }),
  }
  const context = {
    user: { roles: ctx.roles },
    agentId,
    scopeId: ctx.tenant,
    sessionId: ctx.session,
    state: stateOfCall(ctx)?.values ?? {},
    offers: [
      ...(tool.closed || tool.uses.length > 0 ? ['callTool'] : []),
      ...(tool.subagents.length > 0 ? ['callSubagent'] : []),
      ...(tool.execution ? [tool.execution] : []),
    ],
  }
  const begun = await helper.durable?.stamp()
  if (begun?.ok === false)
    return { status: 'error', code: begun.error.code, message: begun.error.message }
  const stop = new AbortController()
  const running = pool.run(
    kind,
    {
      params: args,
      context: {
        ...context,
        ...(begun?.ok && { durable: { now: begun.value, seed: seedOf(ctx.key) } }),
      },
      lease: ctx.lease,
    },
    helper,
    AbortSignal.any([ctx.signal, stop.signal]),
  )
  const outcome = await Promise.race([running, helper.durable?.suspended.promise ?? running])
  if ('schema' in outcome) {
    // The run parks, and the call begins anew once it may go on.
    stop.abort(new Error('it waits'))
    await running
    return { status: 'asks', question: outcome }
  }
  if (!outcome.ok)
    return {
      status: 'error',
      code: outcome.error.code,
      message: `"${tool.name}" could not be run: ${mask(outcome.error.message)}`,
    }
  return resultOf(tool, outcome.value, helper, mask)
}

/** The same for every try of a call. */
const seedOf = (key: string): number => Number.parseInt(sha256(key).slice(0, 8), 16)

/** Those of its variables that are set. */
function variablesOf({ env }: HandlerTool, secrets: Secrets): Readonly<Record<string, string>> {
  return Object.fromEntries(
    env.flatMap((name) => {
      // Resolved as a reference, its value counts as a secret from here on: no log and no error
      // will show it.
      const value = secrets.resolve(`env:${name}`, 'tools')
      return value.ok ? [[name, value.value] as const] : []
    }),
  )
}

function resultOf(
  tool: HandlerTool,
  outcome: Outcome,
  { events, doubtful, sessionState }: CallHelper,
  mask: (text: string) => string,
): ToolResult {
  // Whatever error it reports: one of its requests was written, and the outcome of that is unknown.
  const failed = (code: string, message: string): ToolResult => ({
    status: 'error',
    code: doubtful && !tool.readOnly ? 'OUTCOME_UNKNOWN' : code,
    message,
  })
  switch (outcome.kind) {
    case 'lapsed':
      return {
        status: 'error',
        code: 'LEASE_LOST',
        message: `"${tool.name}" was not called: this process no longer holds the session.`,
      }
    case 'died':
      return {
        status: 'error',
        code: tool.readOnly ? 'TOOL_FAILED' : 'OUTCOME_UNKNOWN',
        message: `"${tool.name}" failed: its process ${mask(outcome.reason)}.`,
      }
    case 'threw':
      return failed(
        outcome.code ?? 'TOOL_FAILED',
        `"${tool.name}" failed: ${mask(outcome.message)}`,
      )
    case 'result': {
      // A handler that returns its own secret is no reason for the model to see it.
      const shaped = mapTexts(shape(outcome.value, tool.shaping), mask, true)
      const error =
        isObject(shaped) && Object.keys(shaped).length === 1 ? shaped['error'] : undefined
      if (typeof error === 'string') return failed('TOOL_FAILED', error)
      const output =
        isObject(shaped) || tool.shaping?.template !== undefined ? shaped : { result: shaped }
      return {
        status: 'success',
        output,
        ...(events.length > 0 && { events: [...events] }),
        ...(Object.keys(sessionState).length > 0 && { sessionState }),
      }
    }
  }
}
