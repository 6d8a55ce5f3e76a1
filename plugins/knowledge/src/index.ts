import {
  AuditTrail,
  Clock,
  truncate,
  Database,
  definePlugin,
  Erasers,
  isObject,
  Migrations,
  PromptSections,
  systemClock,
  TenantDatabase,
  Tools,
  type CallId,
  type Json,
  type JsonObject,
  type RunContext,
} from '@amodal/sdk'
import { z } from 'zod'
import { knowledgeAccess } from './access.ts'
import { eraser } from './eraser.ts'
import { folderShelf } from './folder-shelf.ts'
import { loadKnowledge } from './load-knowledge.ts'
import { PROPOSE_KNOWLEDGE, proposal, proposeKnowledge } from './propose-knowledge.ts'
import { fitsEagerly, knowledgeSections, tenantSection } from './section.ts'
import { MIGRATIONS } from './migrations.ts'
import { TenantShelf } from './tenant-shelf.ts'
import { KnowledgeAccess } from './tokens.ts'

const MAX_TITLE = 200

/**
 * Shows the agent its knowledge: all of it while it is small, else titles with a tool to read a
 * document.
 */
export const knowledge = definePlugin({
  name: 'knowledge',
  version: '0.1.0',
  optional: { database: Database, tenantDatabase: TenantDatabase, trail: AuditTrail, clock: Clock },
  provides: [Migrations, KnowledgeAccess],
  config: z.object({
    eagerTokens: z
      .int()
      .min(0)
      .default(50_000)
      .describe('Tokens of all documents together up to which they stand in the prompt'),
    proposals: z
      .enum(['off', 'files', 'tenant'])
      .default('off')
      .describe(
        'Where documents go that the agent proposes and a person approves: nowhere, into `knowledge/`, or into the database for this tenant alone',
      ),
    tenantChars: z
      .int()
      .positive()
      .default(40_000)
      .describe('Characters of all documents that a tenant has approved'),
  }),
  setup({
    config: { eagerTokens, proposals, tenantChars },
    deps: { database, trail, clock = systemClock },
    add,
    provide,
    hooks,
    onBoot,
    generation,
    log,
  }) {
    add(PromptSections, 'knowledge', {
      sections: (bundle, tools) => knowledgeSections(bundle, tools, eagerTokens),
    })

    const tenants =
      proposals === 'tenant' && database
        ? new TenantShelf(tenantChars, { database, name: 'knowledge', log })
        : undefined
    provide(KnowledgeAccess, () => knowledgeAccess(generation, eagerTokens, tenants))
    const shelf = proposals === 'files' ? folderShelf(generation) : tenants
    const propose = shelf && proposeKnowledge(shelf)
    add(Tools, 'knowledge', {
      tools: (bundle) => [
        ...(fitsEagerly(bundle, eagerTokens) ? [] : [loadKnowledge(bundle)]),
        ...(propose ? [propose] : []),
      ],
    })
    // Documents stay in the database after `proposals` is turned off, and must still be erasable.
    if (database) add(Erasers, 'knowledge', eraser)
    if (tenants) {
      add(Migrations, 'knowledge', MIGRATIONS)
      onBoot(() => tenants.listen())
      hooks.prompt.compile.tap(async (draft, ctx) => {
        const listed = await tenants.list(ctx)
        // A failed read omits the section; it must not fail the turn.
        if (!listed.ok)
          return void log.warn('knowledge.unread', {
            code: listed.error.code,
            message: listed.error.message,
          })
        const section = tenantSection(listed.value)
        return (
          section && {
            ...draft,
            sections: [...draft.sections, { ...section, plugin: 'knowledge' }],
          }
        )
      })
    }
    if (!shelf) return
    hooks.tool.call.tap(({ id, tool, args }, { progress, tenant, session, run, principal }) => {
      if (tool !== propose) return undefined
      const pending = proposal(id, shelf, args, 'pending')
      progress(pending)
      // The audit log takes the outcome from the journal.
      const { proposal_id: known, title, scope, status } = pending
      trail?.record({
        tenant,
        session,
        run,
        principal,
        at: clock.now(),
        kind: 'kb_proposal',
        key: `${run}:${known}:${status}`,
        data: { proposal: known, scope, title: truncate(title, MAX_TITLE), status },
      })
      return undefined
    })
    hooks.tool.guard.tap(async (verdict, { tool, args }, ctx) => {
      const { name, body } = args
      if (tool !== propose || typeof name !== 'string' || !(await shelf.has(name, ctx)))
        return undefined
      return verdict.raise(
        'review',
        `it ${typeof body === 'string' && body.trim() === '' ? 'removes' : 'replaces'} the document "${name}"`,
      )
    })
    hooks.journal.write.tap((entry, ctx) => {
      if (
        entry.kind !== 'tool_outcome' ||
        entry.name !== PROPOSE_KNOWLEDGE ||
        entry.code !== 'TOOL_DENIED'
      )
        return undefined
      return {
        ...entry,
        events: [
          ...(entry.events ?? []),
          proposal(entry.call, shelf, argumentsOf(entry.call, ctx), 'rejected'),
        ],
      }
    })
  },
})

/** As the model wrote them. */
function argumentsOf(call: CallId, { messages }: Pick<RunContext, 'messages'>): JsonObject {
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const input = parts.find((part) => part.type === 'tool-call' && part.toolCallId === call)
  const args = input?.type === 'tool-call' ? (input.input as Json) : null // it was read as JSON
  return { title: '', reasoning: '', ...(isObject(args) ? args : {}) }
}

export default knowledge
