import { definePlugin, RoleView } from '@amodal/sdk'
import { z } from 'zod'
import { addRoleIssues } from './check-roles.ts'
import { allows, grantsOf } from './grants.ts'
import { readRoles } from './role.ts'
import { roleView } from './view.ts'

/**
 * What a principal may see and use, by `roles/<name>.json`. Whatever their roles do not allow is
 * hidden from the prompt, from lists and from errors, and cannot be called.
 */
export const roles = definePlugin({
  name: 'roles',
  version: '0.1.0',
  provides: [RoleView],
  config: z.strictObject({
    defaultRole: z
      .string()
      .min(1)
      .nullable()
      .optional()
      .describe(
        'The role of those who have none, and of the person of the machine. Without it the first may use nothing, where the agent has roles, and the latter everything; null says that this is meant',
      ),
    always: z
      .array(z.string().min(1))
      .default(['activate_skill', 'read_skill_file', 'propose_plan'])
      .describe('Tools that every role may use, since what they give is limited already.'),
  }),
  setup({ config, hooks, log, provide, generation }) {
    const { always } = config
    const defaultRole = config.defaultRole ?? undefined
    const view = roleView({ defaultRole, always, log })
    provide(RoleView, () => view)
    hooks.bundle.load.tap((bundle) => {
      const read = readRoles(bundle, defaultRole)
      return read === bundle ? undefined : read
    })
    hooks.bundle.check.tap((bundle, issues) =>
      addRoleIssues(bundle, generation(), { defaultRole: config.defaultRole, always }, issues),
    )
    hooks.run.start.tap((_request, ctx) => {
      const { none, unknown, grants } = grantsOf(ctx.bundle, ctx.roles, defaultRole)
      if (grants.tools.length === 0 && (none || unknown.length > 0))
        ctx.progress({ type: 'warning', message: withoutTools(unknown) })
      return undefined
    })
    // After plugins that add tools to a list.
    hooks.tools.list.tap((list, { bundle }) => view.tools(list, bundle), { stage: 'last' })
    hooks.tool.guard.tap(
      (verdict, { tool: { name }, action }, ctx) => {
        const { grants } = grantsOf(ctx.bundle, ctx.roles, defaultRole)
        if (!allows([...grants.tools, ...always], name))
          return verdict.raise('deny', `there is no tool "${name}"`)
        if (action && action.protocol !== 'web' && !allows(grants.connections, action.connection))
          return verdict.raise('deny', `there is no connection "${action.connection}"`)
        return undefined
      },
      { stage: 'guard' },
    )
  },
})

/** For whoever asks: why nothing is done for them. */
const withoutTools = (unknown: readonly string[]): string =>
  unknown.length === 0
    ? 'You have no role here, so that the agent has no tools for you. Whoever runs it can give you one, or set `defaultRole`'
    : `No role of yours (${unknown.join(', ')}) is known here, so that the agent has no tools for you. Whoever runs it can add roles/${unknown[0] ?? ''}.json`

export default roles
