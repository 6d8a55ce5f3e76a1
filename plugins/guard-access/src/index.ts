import {
  type Action,
  type AgentBundle,
  Clock,
  type Connection,
  definePlugin,
  delegatedSince,
  TaintIgnored,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { withReferenceIssues } from './check-references.ts'
import { withoutInvalidRules } from './check-rules.ts'
import { listWithoutHidden, withoutHidden } from './hidden.ts'
import { Judge } from './judge.ts'
import { alternativesTo, contextOf } from './approval-context.ts'
import { levelOf } from './tier.ts'

/**
 * Access rules for connections: every call with an action is judged by the `access.json` of its
 * connection, whichever tool makes it.
 */
export const guardAccess = definePlugin({
  name: 'guard-access',
  version: '0.1.0',
  requires: { clock: Clock },
  // What the documents say is looked at once they are there.
  after: ['connections', 'connect-rest', 'roles'],
  setup({ hooks, log, add, deps: { clock } }) {
    const judge = new Judge()
    add(TaintIgnored, 'access', (action, bundle) => {
      const connection = connectionOf(action, bundle)
      return connection !== undefined && judge.ignoresTaint(connection, action)
    })
    hooks.bundle.load.tap((bundle) => {
      const valid = withReferenceIssues(withoutInvalidRules(bundle))
      const checked = withoutHidden(valid, judge)
      if (checked === bundle) return undefined
      const kept = new Set(connectionsOf(checked).map(({ name }) => name))
      for (const { name, file } of connectionsOf(bundle))
        if (!kept.has(name)) log.error('connection.left_out', { connection: name, file })
      return checked
    })
    hooks.tools.list.tap((list, { bundle }) => listWithoutHidden(list, bundle, judge))
    hooks.tool.guard.tap(
      (verdict, { action, tool, args, outer }, ctx) => {
        const { bundle, delegated = false } = ctx
        if (!action || action.protocol === 'web') return undefined
        const connection = connectionOf(action, bundle)
        if (!connection)
          return verdict.raise('deny', `there is no connection "${action.connection}"`)
        const since = delegatedSince(ctx)
        const judged = judge.judge(connection, action, {
          delegated,
          declared: tool.tier ?? 'allow',
          ...(since !== undefined && { delegatedMs: clock.now() - since }),
          // Whoever wrote a tool has said what it does.
          ...(outer
            ? { intent: 'confirmed_write' }
            : typeof args['intent'] === 'string' && { intent: args['intent'] }),
        })
        if (judged.tier === 'allow') return undefined
        if (judged.hidden)
          return verdict.raise(
            'deny',
            `there is no ${action.method} ${action.path} in "${connection.name}"`,
          )
        const others = alternativesTo(action, judged, connection.access)
        const instead =
          judged.tier === 'never' && others.length > 0 ? [`use instead: ${others.join(', ')}`] : []
        return verdict.raise(
          levelOf(judged.tier),
          [...judged.reasons, ...instead].join('; '),
          contextOf(action, judged, others),
        )
      },
      { stage: 'guard' },
    )
  },
})

const connectionOf = (action: Action, bundle: AgentBundle): Connection | undefined =>
  connectionsOf(bundle).find(
    ({ name, protocol }) => name === action.connection && protocol === action.protocol,
  )

export default guardAccess
