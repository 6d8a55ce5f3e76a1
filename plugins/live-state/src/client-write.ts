import { err, isObject, ok, timeLimit, type SessionChange, type SessionStore } from '@amodal/sdk'
import { withShared, type AgentState } from './agent-state.ts'
import { declarationOf } from './declaration.ts'
import { StateConflict, StateRefused } from './errors.ts'
import { allowed } from './rules.ts'
import { changeOf } from './turn-end.ts'
import { seenIn, viewOf } from './view.ts'

const STORE_MS = 10_000

/** A client writes: what it has read decides whether it may. */
export const writes =
  (store: SessionStore, agent: AgentState): SessionChange =>
  async ({ base, changes }, ctx) => {
    const declaration = declarationOf(ctx.bundle)
    if (!declaration) return err(StateRefused('this agent declares no state'))
    const limit = timeLimit(STORE_MS, 'reading the state of the agent')
    const parts = { store, tenant: ctx.tenant, declaration }
    const read = await withShared(ctx.sessionState, parts, limit)
    if (!read.ok) return read
    const sessionState = read.value
    const view = viewOf(declaration, ctx.roles)
    const before = seenIn(sessionState, view, declaration)
    if (base !== null && base !== before.version)
      return err(
        StateConflict(
          `the state is at version ${before.version}, and the write was for ${JSON.stringify(base)}`,
        ),
      )
    const may = allowed(isObject(changes) ? changes : {}, 'api', view.properties)
    if (!may.ok) return may
    const change = changeOf(sessionState, declaration, may.value)
    if (!change)
      return ok({
        text: 'A write to the state changed nothing.',
        data: { ...before },
        sessionState: {},
      })
    agent.prepare(ctx, {
      sessionState,
      changes: may.value,
      ...(typeof base === 'string' && { base }),
      answer: (after) => ({ ...seenIn(after, view, declaration) }),
    })
    const after = seenIn({ ...sessionState, ...change.sessionState }, view, declaration)
    return ok({ ...change, data: { ...after } })
  }
