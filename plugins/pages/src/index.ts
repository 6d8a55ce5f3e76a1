import { Agent, announce, Clock, definePlugin, SHARED_TENANT } from '@amodal/sdk'
import { Inventories } from '@amodal/sdk/inspection'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { StoreAccess } from '@amodal/plugin-stores/tokens'
import { PartStarters } from '@amodal/plugin-repo-files/tokens'
import { z } from 'zod'
import { bundleRoutes, openRoutes } from './bundle-routes.ts'
import { Catalogue } from './catalogue.ts'
import { StoreUndeclared } from './errors.ts'
import { PagesChanged } from './events.ts'
import { type Frame, readFrame } from './frame.ts'
import { inventory } from './inventory.ts'
import { LogAllowance } from './log-allowance.ts'
import { pageRoutes } from './routes.ts'
import { pageStarter } from './starter.ts'

/**
 * The pages of `pages/`: React components over stores, bundled where the agent's files are read,
 * and shown in a frame that has no access but through what each page declares.
 */
export const pages = definePlugin({
  name: 'pages',
  version: '0.1.0',
  reaches: { processes: ['esbuild'], files: [] },
  requires: { agent: Agent, clock: Clock },
  optional: { app: HttpApp, stores: StoreAccess },
  errors: [StoreUndeclared],
  events: [PagesChanged],
  config: z.strictObject({
    logPerMinute: z
      .int()
      .min(0)
      .max(10_000)
      .default(60)
      .describe('Errors of pages in browsers that are logged in a minute'),
  }),
  setup({ add, config, deps: { agent, app, clock, stores }, generation, hooks, log, onBoot }) {
    let isRunning = false
    const announceChange = (problems: number): void => {
      if (isRunning) announce(generation(), PagesChanged({ problems }), { tenant: SHARED_TENANT })
    }
    const catalogue = new Catalogue(() => agent.bundle(), announceChange)
    // Behind `automations`, whose names are compared with those of pages.
    hooks.bundle.load.tap((bundle) => catalogue.load(bundle), { stage: 'late' })
    hooks.bundle.used.tap(() => announceChange(catalogue.problemCount))

    let read: Promise<Frame> | undefined
    const frame = (): Promise<Frame> => (read ??= readFrame())
    const hasStudio = (): boolean => app?.routes().includes('/studio') === true
    const allowance = new LogAllowance(clock, config.logPerMinute)
    const mayLog = (): boolean => allowance.take()
    hooks.http.routes.tap((table) => {
      table.mount('/api/pages', pageRoutes({ catalogue, stores, frame, log, mayLog }), {
        scope: 'stores',
      })
      table.mount('/pages-bundle', bundleRoutes(catalogue, frame), { open: true })
      table.mount('/pages', openRoutes(hasStudio), { open: true })
    })
    add(Inventories, 'pages', inventory)
    add(PartStarters, 'page', pageStarter)
    onBoot(() => {
      isRunning = true
      return () => {
        isRunning = false
      }
    })
  },
})

export default pages
