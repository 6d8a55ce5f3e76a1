import {
  deadline,
  err,
  failure,
  hashOf,
  type JsonObject,
  ok,
  type Result,
  type RunContext,
  type Secrets,
} from '@amodal/sdk'
import { automationOf } from '@amodal/plugin-automations/tokens'
import type { StoreAccess } from '@amodal/plugin-stores/tokens'
import { z } from 'zod'
import type { Handlers } from '../handlers.ts'
import type { Outcome } from '../process/handler-process.ts'
import type { HandlerPool } from '../process/pool.ts'
import { type Guard, guardsOf, type Point } from './guard.ts'
import { GuardHelper } from './guard-helper.ts'

const Answer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('allow') }),
  z.object({ action: z.literal('block'), reason: z.string().min(1).max(2_000) }),
])

export interface GuardParts {
  readonly handlers: Handlers
  readonly pool: HandlerPool
  readonly secrets: Secrets
  readonly stores: () => StoreAccess | undefined
  /** ms for one answer. */
  readonly answerMs: number
}

/** What a guard is shown at a point; `io`: only with `reads_tool_io`. */
export interface Payload {
  readonly shown: JsonObject
  readonly io?: JsonObject
}

/** Why a guard has blocked. */
export interface Block {
  readonly guard: string
  readonly reason: string
}

/** Asks the guards of a point one after the other; the first block ends it. */
export async function askGuards(
  point: Point,
  payload: Payload,
  ctx: RunContext,
  parts: GuardParts,
): Promise<Block | undefined> {
  for (const guard of guardsOf(ctx.bundle).filter(({ points }) => points.includes(point))) {
    const blocked = await ask(guard, point, payload, ctx, parts)
    if (blocked !== undefined) return { guard: guard.label, reason: blocked }
  }
  return undefined
}

/** The reason where it blocks. */
async function ask(
  guard: Guard,
  point: Point,
  { shown, io = {} }: Payload,
  ctx: RunContext,
  parts: GuardParts,
): Promise<string | undefined> {
  const payload = guard.capabilities.includes('reads_tool_io') ? { ...shown, ...io } : shown
  const outcome = await run(guard, { point, payload }, ctx, parts)
  // Code that cannot be run at all protects nothing, whatever its policy says of a failure.
  if (!outcome.ok) return `the guard "${guard.label}" could not be run: ${outcome.error}`
  const answer = answerOf(guard, outcome.value)
  if (answer.ok) return answer.value
  const message = parts.secrets.mask(answer.error)
  ctx.log.warn('guard_failed', { guard: guard.folder, point, error: message })
  return guard.failPolicy === 'open' ? undefined : `the guard "${guard.label}" failed: ${message}`
}

/** The reason of a block, nothing where it allows; an error where it has given no answer. */
function answerOf({ capabilities }: Guard, outcome: Outcome): Result<string | undefined, string> {
  switch (outcome.kind) {
    case 'threw':
      return err(outcome.message)
    case 'died':
      return err(`its process ${outcome.reason}`)
    case 'lapsed':
      return err('it was not called')
    case 'result': {
      const read = Answer.safeParse(outcome.value)
      if (!read.success) return err('its answer is neither { action: "allow" } nor a block')
      if (read.data.action === 'allow') return ok(undefined)
      return capabilities.includes('gates_tools')
        ? ok(read.data.reason)
        : err('it blocks, which needs the capability `gates_tools`')
    }
  }
}

async function run(
  guard: Guard,
  params: { readonly point: Point; readonly payload: JsonObject },
  ctx: RunContext,
  { handlers, pool, secrets, stores, answerMs }: GuardParts,
): Promise<Result<Outcome, string>> {
  const { root } = ctx.bundle
  if (root === undefined) return err('the agent has no folder')
  const limit = deadline(ctx.signal, handlers.limits.startMs + answerMs)
  const answering = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const mask = (text: string): string => secrets.mask(text)
  const helper = new GuardHelper(guard, ctx, stores(), mask)
  try {
    const outcome = await pool.run(
      {
        key: hashOf([guard.digest, guard.entry, guard.config, ctx.tenant]),
        digest: guard.digest,
        start: (signal) =>
          handlers.start(
            root,
            guard,
            {},
            {
              loaded: { digest: guard.digest, files: ctx.bundle.files },
              config: guard.config,
              signal,
            },
          ),
      },
      {
        params,
        context: {
          caller: { source: sourceOf(ctx) },
          offers: guard.capabilities.includes('store:read') ? ['store'] : [],
        },
        // The time to start a process is not that of the guard.
        begun: () => {
          timer = setTimeout(() => answering.abort(failure('TIMEOUT', 'no answer')), answerMs)
        },
      },
      helper,
      AbortSignal.any([limit.signal, answering.signal]),
    )
    return outcome.ok ? outcome : err(mask(outcome.error.message))
  } finally {
    clearTimeout(timer)
    limit.clear()
  }
}

/** By what the run is, and not by what the message says. */
const sourceOf = ({ delegated, principal }: RunContext): string => {
  if (delegated === true) return 'subagent'
  return automationOf(principal) === undefined ? 'user' : 'automation'
}
