import { Agent, Clock, definePlugin, SessionStore, Tools } from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { ANY_SESSION, SessionChanges, SharedStates } from '@amodal/sdk/loop'
import { AgentState, sharedProperties } from './agent-state.ts'
import { declarationOf } from './declaration.ts'
import { StateConflict, StateRefused, VersionRequired } from './errors.ts'
import { Followers } from './followers.ts'
import { expressionInventory, stateInventory } from './inventory.ts'
import { readState } from './read-state.ts'
import { createRoutes, ROUTE } from './routes.ts'
import { TurnBeginnings } from './turn-beginning.ts'
import { commitWithEnd } from './turn-end.ts'
import { updateTools } from './update-tool.ts'
import { writes } from './client-write.ts'

/**
 * State that belongs to a session: declared in `amodal.json`, changed by tools, by the model and by
 * clients, followed by clients as it changes; and what a turn begins with, as expressions over it.
 */
export const liveState = definePlugin({
  name: 'live-state',
  version: '0.1.0',
  requires: { agent: Agent, store: SessionStore, clock: Clock },
  errors: [StateConflict, StateRefused, VersionRequired],
  setup({ add, deps, hooks, log, onBoot }) {
    const { agent, store, clock } = deps
    // behind `subagents`, whose files may declare properties of the state
    hooks.bundle.load.tap((bundle) => readState(bundle), { stage: 'late' })

    const beginnings = new TurnBeginnings()
    hooks.run.start.tap((_request, ctx) => {
      beginnings.warn(ctx)
      return undefined
    })
    hooks.prompt.compile.tap((draft, ctx) => beginnings.section(draft, ctx))
    hooks.model.route.tap((call, ctx) => beginnings.route(call, ctx))
    hooks.model.call.tap((call, ctx) => beginnings.settings(call, ctx))
    hooks.state.enter.thinking.tap((state, ctx) => beginnings.limit(state, ctx))
    hooks.state.leave.thinking.tap((exit, state, ctx) =>
      beginnings.record(exit, state, ctx, clock.now()),
    )

    const agentState = new AgentState()
    add(SharedStates, 'live-state', agentState)
    const { thinking, streaming, executing, confirming, dispatching, compacting } =
      hooks.state.leave
    for (const leave of [thinking, streaming, executing, confirming, dispatching, compacting])
      leave.tap(
        (exit, _state, ctx) =>
          commitWithEnd(exit, ctx, clock.now(), (pending) => agentState.prepare(ctx, pending)),
        { stage: 'late' },
      )
    add(Tools, 'live-state', { tools: updateTools })
    add(SessionChanges, 'live-state', writes(store, agentState))

    const followers = new Followers({ store, bundle: () => agent.bundle(), log })
    hooks.run.end.tap((_outcome, { tenant, session, bundle }) => {
      const declaration = declarationOf(bundle)
      const shares = declaration !== undefined && sharedProperties(declaration).length > 0
      followers.changed({ tenant, session: shares ? ANY_SESSION : session })
    })
    for (const enter of Object.values(hooks.state.enter))
      enter.tap((_state, { tenant, session }) => {
        followers.changed({ tenant, session })
        return undefined
      })
    hooks.bundle.used.tap(() => followers.rewired())
    const routes = createRoutes(agent, followers)
    hooks.http.routes.tap((table) => table.mount(ROUTE, routes, { scope: 'sessions' }))
    add(Inventories, 'state', stateInventory)
    add(Inventories, 'expressions', expressionInventory(clock))
    onBoot(() => () => followers.close())
    // a server that stops waits for its requests, and nobody's following ends by itself
    hooks.kernel.drain.tap(() => followers.close())
  },
})

export default liveState
