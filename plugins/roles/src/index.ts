import { definePlugin, RoleView } from '@amodal/sdk'
import { z } from 'zod'
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
      .optional()
      .describe(
        'The role of those who have none; without it they may use nothing, where the agent has roles.',
      ),
    always: z
      .array(z.string().min(1))
      .default(['activate_skill', 'read_skill_file', 'propose_plan'])
      .describe('Tools that every role may use, since what they give is limited already.'),
  }),
  setup({ config: { defaultRole, always }, hooks, log, provide }) {
    const view = roleView({ defaultRole, always, log })
    provide(RoleView, () => view)
    hooks.bundle.load.tap((bundle) => {
      const read = readRoles(bundle, defaultRole)
      return read === bundle ? undefined : read
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

export default roles
