import {
  err,
  ok,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type RouteContext,
} from '@amodal/sdk'
import type { AppliedChange } from '@amodal/plugin-repo-files/tokens'
import { endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import type { Hono } from 'hono'
import { z } from 'zod'
import type { ChangeBook } from '../repo/change-book.ts'
import type { Proposal } from '../repo/proposal.ts'
import type { RightsComparison } from '../rights/rights-comparison.ts'
import type { RelatedEvals } from './related-evals.ts'
import { deciderOf, localOnly } from './local.ts'
import { appliedShown, fileShown, rightsShown } from './shown.ts'

type App = Hono<{ Bindings: RouteContext }>

export interface ChangeParts {
  readonly book: ChangeBook
  readonly related: RelatedEvals
  readonly rights: RightsComparison
}

export const Chosen = z.strictObject({
  files: z.array(z.string().max(300)).min(1).max(500).nullish(),
})

/** `/config/changes`: what is proposed, what was accepted, and its undoing. */
export function changeRoutes(app: App, { book, related, rights }: ChangeParts): void {
  const shown = async ({ files, session }: Proposal): Promise<JsonObject> => {
    const report = await rights.of(files)
    return {
      session_id: session,
      files: files.map(fileShown),
      rights: report ? rightsShown(report) : null,
    }
  }
  endpoint(app, '/config/changes', {
    GET: ({ env }) =>
      as(env, async () => ({
        proposed: await Promise.all((await book.proposals()).map(shown)),
        applied: (await book.applied()).map(appliedShown),
      })),
  })
  endpoint(app, '/config/changes/:session', {
    GET: ({ env, req }) => as(env, () => shown(book.proposal(req.param('session')))),
  })
  endpoint(app, '/config/changes/:session/accept', {
    POST: ({ env, req }) =>
      decided(env, req.raw, async (caller, files) => {
        const { principal } = caller
        const accepted = await book.accept(
          req.param('session'),
          { principal, ...(files && { files }) },
          env.signal,
        )
        if (!accepted.ok) return accepted
        const { change, pending } = accepted.value
        const evals = await related.of(pathsOf(change), caller, env.signal)
        return ok({ change: appliedShown(change), pending, evals })
      }),
  })
  endpoint(app, '/config/changes/:session/discard', {
    POST: ({ env, req }) =>
      decided(env, req.raw, async (_caller, files) => {
        await book.discard(req.param('session'), files)
        return ok({ ok: true })
      }),
  })
  endpoint(app, '/config/changes/:id/undo', {
    POST: ({ env, req }) =>
      decided(env, req.raw, async (caller) => {
        const undone = await book.undo(req.param('id'), caller.principal, env.signal)
        if (!undone.ok) return undone
        const evals = await related.of(pathsOf(undone.value), caller, env.signal)
        return ok({ change: appliedShown(undone.value), evals })
      }),
  })
}

const pathsOf = ({ files }: AppliedChange): readonly string[] => files.map(({ path }) => path)

async function as(env: RouteContext, work: () => Promise<object>): Promise<Response> {
  const foreign = localOnly(env)
  if (foreign) return failed(foreign)
  const caller = env.caller()
  return caller.ok ? Response.json(await work()) : failed(caller.error)
}

async function decided(
  env: RouteContext,
  request: Request,
  work: (caller: Caller, files: readonly string[] | undefined) => Promise<Result<object, Failure>>,
): Promise<Response> {
  const decider = deciderOf(env)
  if (!decider.ok) return failed(decider.error)
  const isEmpty = request.body === null
  const body = isEmpty ? ok<z.output<typeof Chosen>>({}) : await readJson(request, Chosen)
  const result = body.ok
    ? await work(decider.value, body.value.files ?? undefined)
    : err(body.error)
  return result.ok ? Response.json(result.value) : failed(result.error)
}
