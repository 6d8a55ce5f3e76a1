import type {
  AgentState,
  Exit,
  JournalEntry,
  ModelCall,
  PromptDraft,
  PromptSection,
  RouteVerdict,
  RunContext,
} from '@amodal/sdk'
import { ENTRY_VERSION } from '@amodal/sdk/loop'
import { declarationOf } from './declaration.ts'
import { evaluate, type Evaluated } from './expressions.ts'
import { inputsOf } from './inputs.ts'
import { countOf } from './stored-state.ts'

const TIERS = ['main', 'explore', 'simple', 'advanced'] as const
const isTier = (name: string): name is (typeof TIERS)[number] =>
  (TIERS as readonly string[]).includes(name)

/**
 * What expressions gave for a turn. They are evaluated over the values that count, which do not
 * change while it runs: so they give the same whenever they are asked, also after a crash.
 */
export class TurnBeginnings {
  readonly #known = new WeakMap<RunContext, Evaluated>()

  of(ctx: RunContext): Evaluated | undefined {
    const declaration = declarationOf(ctx.bundle)
    if (!declaration || Object.values(declaration.expressions).every((one) => one === null))
      return undefined
    const known =
      this.#known.get(ctx) ??
      evaluate(
        declaration.expressions,
        declaration.properties,
        inputsOf(ctx, declaration.properties),
      )
    this.#known.set(ctx, known)
    return known
  }

  warn(ctx: RunContext): void {
    for (const { name, message } of this.of(ctx)?.failed ?? []) {
      const text = `\`expressions.${name}\` of amodal.json is left out of this turn: it ${message.startsWith('gave') ? message : `failed: ${message}`}`
      ctx.log.warn('live-state.failed', { expression: name, message })
      ctx.progress({ type: 'warning', message: text })
    }
  }

  section(draft: PromptDraft, ctx: RunContext): PromptDraft | undefined {
    const body = this.of(ctx)?.instructions
    if (body === undefined) return undefined
    const section: PromptSection = {
      id: 'state-instructions',
      title: 'Instructions for now',
      body,
      weight: 11,
      category: 'system',
    }
    return { ...draft, sections: [...draft.sections, { ...section, plugin: 'live-state' }] }
  }

  route({ attempt }: ModelCall, ctx: RunContext): RouteVerdict | undefined {
    const model = attempt > 1 ? undefined : this.of(ctx)?.model
    if (model === undefined) return undefined
    if (isTier(model)) {
      const config = ctx.bundle.manifest.models[model] ?? ctx.bundle.manifest.models.main
      return config && { provider: config.provider, model: config.model }
    }
    const at = model.indexOf('/')
    return at > 0 ? { provider: model.slice(0, at), model: model.slice(at + 1) } : undefined
  }

  settings(call: ModelCall, ctx: RunContext): ModelCall | undefined {
    const { temperature, maxTokens } = this.of(ctx) ?? {}
    if (temperature === undefined && maxTokens === undefined) return undefined
    return {
      ...call,
      settings: {
        ...call.settings,
        ...(temperature !== undefined && { temperature }),
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      },
    }
  }

  limit(state: AgentState, ctx: RunContext): AgentState | undefined {
    const maxTurns = this.of(ctx)?.maxTurns
    return maxTurns !== undefined && state.kind === 'thinking' && state.step > maxTurns
      ? { kind: 'done', reason: 'max_turns' }
      : undefined
  }

  /** The journal keeps what a turn began with. */
  record(exit: Exit, state: AgentState, ctx: RunContext, now: number): Exit | undefined {
    const found = state.kind === 'thinking' && state.step === 1 ? this.of(ctx) : undefined
    const declaration = found && declarationOf(ctx.bundle)
    if (!declaration) return undefined
    const { failed, ...gave } = found
    const note: JournalEntry = {
      v: ENTRY_VERSION.note,
      kind: 'note',
      run: ctx.run,
      at: now,
      code: 'state_evaluated',
      text: 'What expressions over the state gave for this turn.',
      data: {
        gave: { ...gave },
        failed: failed.map((one) => ({ ...one })),
        inputs: {
          // of properties how often each has changed
          state: Object.fromEntries(
            declaration.properties.map((one) => [one.name, countOf(ctx.sessionState, one)]),
          ),
          principal: ctx.principal,
          roles: ctx.roles,
          now: new Date(ctx.startedAt ?? 0).toISOString(),
        },
      },
    }
    return { ...exit, entries: [...exit.entries, note] }
  }
}
