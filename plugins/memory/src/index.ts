import { createHash } from 'node:crypto'
import {
  Database,
  definePlugin,
  Erasers,
  LastRead,
  Migrations,
  SessionFacts,
  TenantDatabase,
  Tools,
  type AgentBundle,
  type JsonObject,
} from '@amodal/sdk'
import { z } from 'zod'
import { DatabaseMemory } from './database-memory.ts'
import { eraser } from './eraser.ts'
import { keptMemory } from './kept-memory.ts'
import { MIGRATIONS } from './migrations.ts'
import { originOf } from './origin.ts'
import { ProcessMemory, type NotesByOwner } from './process-memory.ts'
import { memoryRoutes } from './routes.ts'
import { nudgeSection } from './nudge.ts'
import { memorySection } from './section.ts'
import { mayEdit, memorySettings, settingsNow } from './settings.ts'
import { MemoryStore, type Memory } from './tokens.ts'
import { memoryTools, REMEMBER } from './tools.ts'

/**
 * Short notes that the agent keeps from one conversation to the next, in every prompt of their
 * owner.
 */
export const memory = definePlugin({
  name: 'memory',
  version: '0.1.0',
  optional: { database: Database, tenantDatabase: TenantDatabase },
  provides: [MemoryStore, Migrations],
  config: z.strictObject({
    shared: z
      .boolean()
      .default(false)
      .describe('The notes belong to the whole tenant; otherwise each principal has their own'),
    maxEntries: z.int().min(1).max(2_000).default(200).describe('Notes of one owner'),
    maxChars: z.int().min(20).max(4_000).default(500).describe('Characters of one note'),
    promptChars: z
      .int()
      .min(0)
      .default(8_000)
      .describe('Characters of the notes that stand in the prompt, the newest first'),
    tier: z
      .enum(['allow', 'confirm', 'review'])
      .default('allow')
      .describe('The approval that noting and removing need'),
  }),
  setup({ config, deps: { database }, provide, add, hooks, onBoot, generation, log }) {
    const notes: NotesByOwner = new Map()
    const kept = new LastRead<readonly Memory[]>(database && { database, name: 'memory', log })
    if (database) {
      add(Migrations, 'memory', MIGRATIONS)
      add(Erasers, 'memory', eraser)
    }
    onBoot(() => kept.listen())

    provide(MemoryStore, (scope) => {
      const { tenant, principal } = scope.get(SessionFacts)
      const owner = config.shared ? '' : principal
      const key = createHash('sha256')
        .update(JSON.stringify([tenant, owner]))
        .digest('hex')
      const limits = () => settingsNow(generation(), config.maxEntries)
      const tenantDatabase = scope.find(TenantDatabase)
      if (!tenantDatabase) return new ProcessMemory(notes, key, principal, limits)
      return keptMemory(new DatabaseMemory(tenantDatabase, owner, principal, limits), kept, key)
    })
    const tools = memoryTools(config)
    const settingsOf = (bundle: AgentBundle) => memorySettings(bundle, config.maxEntries)
    add(Tools, 'memory', {
      tools: (bundle) => {
        const { enabled, editableBy } = settingsOf(bundle)
        if (!enabled) return []
        return editableBy === 'none' ? tools.filter(({ readOnly }) => readOnly) : tools
      },
    })
    hooks.tool.guard.tap(
      (verdict, { tool }, { bundle, roles }) =>
        !tools.includes(tool) || tool.readOnly || mayEdit(settingsOf(bundle), roles)
          ? undefined
          : verdict.raise('deny', 'the memory is changed by admins alone'),
      { stage: 'guard' },
    )
    hooks.tool.call.tap((call, ctx) => {
      if (!tools.includes(call.tool) || call.tool.name !== REMEMBER) return undefined
      const { text } = call.args
      const origin: JsonObject = { ...originOf(typeof text === 'string' ? text : '', ctx) }
      return { ...call, args: { ...call.args, origin } }
    })
    hooks.prompt.compile.tap(async (draft, ctx) => {
      const { scope, signal } = ctx
      const settings = settingsOf(ctx.bundle)
      if (!settings.enabled) return undefined
      const listed = await scope.get(MemoryStore).list(signal)
      // A failed read omits the section; it must not fail the turn.
      if (!listed.ok)
        return void log.warn('memory.unread', {
          code: listed.error.code,
          message: listed.error.message,
        })
      const sections = [
        memorySection(listed.value, config.promptChars),
        nudgeSection(settings, ctx),
      ].flatMap((section) => (section ? [{ ...section, plugin: 'memory' }] : []))
      return sections.length > 0
        ? { ...draft, sections: [...draft.sections, ...sections] }
        : undefined
    })
    hooks.http.routes.tap((routes) =>
      routes.mount('/api/memory', memoryRoutes(generation, config.maxEntries), { scope: 'memory' }),
    )
  },
})

export default memory
