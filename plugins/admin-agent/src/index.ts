import { Agent, BundleSource, Clock, definePlugin, Tools } from '@amodal/sdk'
import { ChatTurns } from '@amodal/plugin-chat/tokens'
import { Evals } from '@amodal/plugin-evals/tokens'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { RunFiles } from '@amodal/plugin-loop/tokens'
import { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import {
  AdminNotLocal,
  ChangeBroken,
  ChangeConflict,
  ChangeNotFound,
  EditRefused,
  FileNotFound,
  PathRefused,
} from './errors.ts'
import { ChangeBook } from './repo/change-book.ts'
import { RelatedEvals } from './server/related-evals.ts'
import { RightsComparison } from './rights/rights-comparison.ts'
import { adminRoutes, PREFIXES } from './server/routes.ts'
import { AdminFiles } from './session/admin-files.ts'
import { tapTools } from './session/admin-tools.ts'
import { editTools } from './tools/edit-tools.ts'
import { findTools } from './tools/find-tools.ts'
import { internalApiTool } from './tools/internal-api.ts'
import { readTools } from './tools/read-tools.ts'

/**
 * A second agent that changes the files of the first, by talking: it proposes changes, a person
 * accepts them, and each can be undone. On the machine of the developer alone.
 */
export const adminAgent = definePlugin({
  name: 'admin-agent',
  version: '0.1.0',
  reaches: { files: ['*'] },
  requires: {
    agent: Agent,
    clock: Clock,
    files: BundleSource,
    check: FolderCheck,
    turns: ChatTurns,
  },
  optional: { app: HttpApp, evals: Evals },
  after: ['guard-access', 'guard-taint', 'plan-mode', 'confirmations', 'roles', 'experiments'],
  errors: [
    AdminNotLocal,
    ChangeBroken,
    ChangeConflict,
    ChangeNotFound,
    EditRefused,
    FileNotFound,
    PathRefused,
  ],
  setup({ add, deps, generation, hooks, log }) {
    const { agent, check, clock, evals, files: source, turns } = deps
    const book = new ChangeBook({ root: () => source.where, check, now: () => clock.now() })
    const rights = new RightsComparison(agent, generation)
    const tools = [
      ...findTools(book),
      ...readTools(book),
      ...editTools(book, rights),
      internalApiTool(() => generation().scope.find(HttpApp)),
    ]
    const files = new AdminFiles(log)
    add(RunFiles, 'admin-agent', files)
    add(Tools, 'admin-agent', { tools: (bundle) => (files.has(bundle) ? tools : []) })
    tapTools(hooks, tools)

    const routes = adminRoutes({
      agent,
      book,
      related: new RelatedEvals({ agent, evals, log }),
      rights,
      turns,
    })
    hooks.http.routes.tap((table) => {
      for (const prefix of PREFIXES) table.mount(prefix, routes, { scope: 'admin' })
    })
  },
})

export default adminAgent
