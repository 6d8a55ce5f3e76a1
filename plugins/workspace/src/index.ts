import { resolve } from 'node:path'
import { Agent, Database, definePlugin, Erasers, Migrations, Tools } from '@amodal/sdk'
import { SessionChanges } from '@amodal/sdk/loop'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { ProgramSandbox } from '@amodal/plugin-tools-custom/tokens'
import { z } from 'zod'
import {
  WorkspaceEditRefused,
  WorkspaceFileMissing,
  WorkspaceFileRefused,
  WorkspaceFull,
  WorkspacePathRefused,
  WorkspaceShellUnavailable,
  WorkspaceSnapshotMissing,
  WorkspaceSourceMissing,
  WorkspaceStorageFailed,
} from './errors.ts'
import { LocalWorkspaces } from './session/local-workspaces.ts'
import { originOf, readSettings, settingsOf } from './settings.ts'
import { ProcessShell } from './shells/process-shell.ts'
import { VirtualShell } from './shells/virtual/virtual-shell.ts'
import { eraser } from './snapshots/eraser.ts'
import { MIGRATIONS } from './snapshots/migrations.ts'
import { createRoutes, ROUTE } from './snapshots/routes.ts'
import { SnapshottedWorkspaces } from './snapshots/snapshotted-workspaces.ts'
import { STUDIO_VIEW, studioRoute } from './snapshots/studio-view.ts'
import { CHANGE, undo } from './snapshots/undo.ts'
import { WorkspaceShells } from './tokens.ts'
import { bashTool } from './tools/bash.ts'
import { fileTools } from './tools/file-tools.ts'

/** A folder of files for each session, which the agent reads and changes. */
export const workspace = definePlugin({
  name: 'workspace',
  version: '0.1.0',
  reaches: { files: ['.amodal/workspaces'] },
  optional: { database: Database, sandbox: ProgramSandbox },
  errors: [
    WorkspacePathRefused,
    WorkspaceFileMissing,
    WorkspaceFileRefused,
    WorkspaceStorageFailed,
    WorkspaceSourceMissing,
    WorkspaceFull,
    WorkspaceEditRefused,
    WorkspaceShellUnavailable,
    WorkspaceSnapshotMissing,
  ],
  config: z.strictObject({
    dir: z.string().optional().describe('The agent folder.'),
    folder: z
      .string()
      .min(1)
      .default('.amodal/workspaces')
      .describe('Where workspaces are stored; relative to the agent folder.'),
    keep: z
      .int()
      .min(2)
      .max(10_000)
      .default(100)
      .describe('Snapshots of one session that are stored, and can be returned to.'),
  }),
  setup({ config, deps: { database, sandbox }, add, hooks, generation, log }) {
    const root = resolve(config.dir ?? '.', config.folder)
    const stored =
      database && new SnapshottedWorkspaces({ database, root, keep: config.keep, originOf })
    const workspaces = stored ?? new LocalWorkspaces(root)
    if (sandbox) add(WorkspaceShells, 'process', new ProcessShell(sandbox))
    add(WorkspaceShells, 'virtual', new VirtualShell())
    const tools = fileTools(workspaces)
    hooks.bundle.load.tap(readSettings)
    const shells = () => generation().registry(WorkspaceShells).values()
    add(Tools, 'workspace', {
      tools(bundle) {
        const settings = settingsOf(bundle)
        if (!settings) return []
        return settings.bash === 'none' ? tools : [...tools, bashTool(workspaces, settings, shells)]
      },
    })
    if (!stored) return
    add(Migrations, 'workspace', MIGRATIONS)
    add(Erasers, 'workspace', eraser)
    add(SessionChanges, CHANGE, undo(stored))
    hooks.http.routes.tap((table) => {
      const agent = generation().scope.find(Agent)
      if (!agent) return
      table.mount(ROUTE, createRoutes(agent, stored), { scope: 'sessions' })
      const studio = studioRoute(agent, stored)
      table.mount(STUDIO_VIEW.route, studio, { exact: true, scope: 'sessions' })
    })
    add(StudioViews, 'workspaces', STUDIO_VIEW)
    hooks.session.close.tap(async ({ tenant, session }, reason) => {
      const bundle = generation().scope.find(Agent)?.bundle()
      if (!bundle || !settingsOf(bundle)) return
      if (reason !== 'removed' && reason !== 'expired') return stored.release(tenant, session)
      const removed = await stored.remove(tenant, session)
      if (!removed.ok)
        log.warn('workspace.not_removed', { session, message: removed.error.message })
    })
  },
})

export default workspace
