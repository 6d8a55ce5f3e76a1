import { Agent, definePlugin, RequestLimiter, Tools, type RunContext } from '@amodal/sdk'
import { SessionChanges } from '@amodal/sdk/loop'
import { PanelFull } from './errors.ts'
import { applyBeginning, panelOf } from './member.ts'
import { MemberView } from './member-view.ts'
import { PanelAccess } from './panel-service.ts'
import { Panels } from './panels.ts'
import { createRoutes, PREFIXES } from './routes.ts'
import { readTemplates, templateOf, type Template } from './template.ts'
import { PanelService } from './tokens.ts'
import { panelTools } from './tools.ts'

/**
 * Panels: agents that are made at run time from a template, each with a conversation and a state of
 * its own, and asked together or one after another.
 */
export const panels = definePlugin({
  name: 'panels',
  version: '0.1.0',
  requires: { agent: Agent },
  optional: { limiter: RequestLimiter },
  provides: [PanelService],
  errors: [PanelFull],
  setup({ add, deps, hooks, provide }) {
    // behind `live-state`, whose declaration templates are checked against
    hooks.bundle.load.tap((bundle) => readTemplates(bundle), { stage: 'last' })

    const template = (ctx: RunContext): Template | undefined => {
      const name = panelOf(ctx)
      return name === undefined ? undefined : templateOf(ctx.bundle, name)
    }
    hooks.run.start.tap((_request, ctx) => {
      const name = panelOf(ctx)
      return name === undefined || template(ctx)
        ? undefined
        : { deny: true, reason: 'error', message: `there is no panel "${name}" any more` }
    })
    const view = new MemberView()
    hooks.tools.list.tap(
      (list, ctx) => {
        const found = template(ctx)
        return found && view.tools(list, found)
      },
      { stage: 'last' },
    )
    hooks.prompt.compile.tap(
      (draft, ctx) => {
        const found = template(ctx)
        return found && view.prompt(draft, found, ctx)
      },
      { stage: 'late' },
    )
    add(SessionChanges, 'panels', applyBeginning)

    const panels = new Panels(deps.agent, deps.limiter)
    const service = new PanelAccess(panels)
    provide(PanelService, () => service)
    add(Tools, 'panels', { tools: (bundle) => panelTools(bundle, service) })
    const routes = createRoutes(deps.agent, panels, service)
    hooks.http.routes.tap((table) => {
      for (const [prefix, scope] of Object.entries(PREFIXES)) table.mount(prefix, routes, { scope })
    })
  },
})

export default panels
