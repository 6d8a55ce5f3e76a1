import {
  err,
  failure,
  ok,
  type Agent,
  type AgentClient,
  type Caller,
  type Clock,
  type Code,
  type Failure,
  type RequestLimiter,
  type Result,
  type RouteContext,
} from '@amodal/sdk'
import { readJson } from '@amodal/plugin-http/tokens'
import type { ResponseFormats } from '@amodal/plugin-structured-output/tokens'
import { z } from 'zod'
import type { WireLimits } from './chat-request.ts'
import { openAiFailed } from './openai-error.ts'

/** What the routes of this wire work with. */
export interface WireParts {
  readonly agent: Agent
  readonly clock: Pick<Clock, 'now'>
  readonly limiter: RequestLimiter | undefined
  readonly formats: ResponseFormats | undefined
  readonly limits: WireLimits
  /** The HTTP status of a code, of plugins as well. */
  readonly statusOf: (code: Code) => number
}

export interface Called {
  readonly caller: Caller
  readonly client: AgentClient
}

/** Runs `work` for whoever asks; what fails is told in OpenAI's shape. */
export async function asCaller(
  { agent }: WireParts,
  context: RouteContext,
  work: (called: Called) => Promise<Result<Response, Failure>>,
): Promise<Response> {
  const caller = context.caller()
  if (!caller.ok) return openAiFailed(caller.error)
  const done = await work({ caller: caller.value, client: agent.as(caller.value) })
  return done.ok ? done.value : openAiFailed(done.error)
}

/** Runs `work` unless the caller has sent too many messages. */
async function rateLimited<T>(
  { limiter }: WireParts,
  caller: Caller,
  work: () => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const permit = await limiter?.message(caller)
  if (permit?.ok === false) return permit
  try {
    return await work()
  } finally {
    permit?.value.release()
  }
}

/** The agent's name is the name of its one model. */
export const modelOf = ({ agent }: WireParts): string => agent.bundle()?.manifest.name ?? 'agent'

export function checkModel(parts: WireParts, model: string): Result<string, Failure> {
  const own = modelOf(parts)
  return model === own
    ? ok(own)
    : err(
        failure('NOT_FOUND', `model: there is no model "${model}" here; the agent is "${own}"`, {
          details: { param: 'model' },
        }),
      )
}

/** Answers the JSON of a request, once it is read, checked and within the caller's rate. */
export const answered = <T>(
  parts: WireParts,
  context: RouteContext,
  request: Request,
  {
    read,
    answer,
  }: {
    readonly read: (body: unknown, limits: WireLimits) => Result<T, Failure>
    readonly answer: (called: Called, asked: T) => Promise<Result<Response, Failure>>
  },
): Promise<Response> =>
  asCaller(parts, context, async (called) => {
    const body = await readJson(request, z.unknown())
    if (!body.ok) return body
    const asked = read(body.value, parts.limits)
    return asked.ok ? rateLimited(parts, called.caller, () => answer(called, asked.value)) : asked
  })
