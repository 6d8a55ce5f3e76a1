import {
  ok,
  RoleView,
  type Exit,
  type Failure,
  type JournalEntry,
  type Result,
  type RunContext,
  type Scope,
  type TenantId,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { ENTRY_VERSION } from '@amodal/sdk/loop'
import type { VersionStore } from '../storage/version-store.ts'
import { parseVersion } from '../versions.ts'
import { chooseVersions, type ChosenVersions } from './choose-versions.ts'
import { orgToolsOf, type OrgToolEntry } from './org-tool-entries.ts'
import { pinned, pinsOf, type Pin } from './pins.ts'
import { versionTool, type RunVersion } from './version-tool.ts'

interface Parts {
  readonly versionsOf: (tenant: TenantId) => VersionStore
  readonly run: RunVersion
  /** ms of one run. */
  readonly timeoutMs: number
}

/** What one stretch of a run has of the organization's tools. */
interface Begun {
  readonly tools: readonly ToolDefinition[]
  /** Chosen here, and not in the journal yet. */
  unrecorded?: ChosenVersions
}

/** Definitions, over all tenants. */
const MAX_DEFINITIONS = 1_000

/** The organization's tools in conversations: chosen when a run begins, the same until it ends. */
export class TurnTools {
  readonly #parts: Parts
  readonly #begun = new WeakMap<RunContext, Begun>()
  /** Versions do not change, so that a tool is the same object in all turns. */
  readonly #definitions = new Map<string, ToolDefinition>()
  /** One list stays the same object as well, so that its prompt is compiled once. */
  readonly #lists = new WeakMap<ToolList, ToolList>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * The list with the tools of the organization; `undefined` where the agent names none.
   *
   * @throws where the database does not answer
   */
  async list(list: ToolList, ctx: RunContext, scope: Scope): Promise<ToolList | undefined> {
    const entries = orgToolsOf(ctx.bundle)
    if (entries.length === 0) return undefined
    const begun = this.#begun.get(ctx) ?? (await this.#begin(list, entries, ctx))
    this.#begun.set(ctx, begun)
    const own = { tools: begun.tools, aliases: {} }
    const { tools } = scope.find(RoleView)?.tools(own, ctx.bundle) ?? own
    if (tools.length === 0) return undefined
    const known = this.#lists.get(list)
    if (known && isSame(known.tools.slice(list.tools.length), tools)) return known
    const longer = { ...list, tools: [...list.tools, ...tools] }
    this.#lists.set(list, longer)
    return longer
  }

  /** The journal keeps which versions a run has. */
  record(exit: Exit, ctx: RunContext, now: number): Exit | undefined {
    const begun = this.#begun.get(ctx)
    const chosen = begun?.unrecorded
    if (!chosen) return undefined
    delete begun.unrecorded
    const { pins, missing } = chosen
    const note: JournalEntry = {
      v: ENTRY_VERSION.note,
      kind: 'note',
      run: ctx.run,
      at: now,
      code: 'org_tools_chosen',
      text: `Versions of the organization's tools in this run: ${pins.map(({ name, version }) => `${name} ${version}`).join(', ') || 'none'}`,
      data: {
        pins: pins.map((pin) => ({ ...pin })),
        missing: missing.map(({ tool, version }) => ({ tool, version })),
      },
      session_state: pinned(ctx.run, pins),
    }
    return { ...exit, entries: [...exit.entries, note] }
  }

  async #begin(list: ToolList, entries: readonly OrgToolEntry[], ctx: RunContext): Promise<Begun> {
    const versions = this.#parts.versionsOf(ctx.tenant)
    const pins = pinsOf(ctx.sessionState, ctx.run)
    const chosen = pins ? undefined : unwrapped(await chooseVersions(entries, ctx, versions))
    for (const { tool, version } of chosen?.missing ?? [])
      warn(ctx, `no published version of "${tool}" fits "${version}"`)
    const ownNames = new Set([...list.tools.map(({ name }) => name), ...Object.keys(list.aliases)])
    const free = (pins ?? chosen?.pins ?? []).filter(({ name }) => {
      if (!ownNames.has(name)) return true
      warn(ctx, `the agent has a tool "${name}" of its own`)
      return false
    })
    const tools = await Promise.all(
      free.flatMap((pin) => {
        const entry = entries.find(({ tool }) => tool === pin.name)
        return entry ? [this.#definition(pin, entry, versions, ctx)] : []
      }),
    )
    return { tools: tools.map(unwrapped), ...(chosen && { unrecorded: chosen }) }
  }

  async #definition(
    pin: Pin,
    entry: OrgToolEntry,
    versions: VersionStore,
    ctx: RunContext,
  ): Promise<Result<ToolDefinition, Failure>> {
    const key = JSON.stringify([ctx.tenant, pin, entry])
    const known = this.#definitions.get(key)
    if (known) return ok(known)
    const number = parseVersion(pin.version) ?? { major: 0, minor: 0, patch: 0 }
    const version = await versions.find(pin.tool, number, ctx.signal)
    if (!version.ok) return version
    const tool = versionTool(pin, entry, version.value, this.#parts)
    if (this.#definitions.size >= MAX_DEFINITIONS) this.#definitions.clear()
    this.#definitions.set(key, tool)
    return ok(tool)
  }
}

function warn(ctx: RunContext, why: string): void {
  const message = `a tool of the organization is left out of this turn: ${why}`
  ctx.log.warn('tools_versions.left_out', { why })
  ctx.progress({ type: 'warning', message })
}

const isSame = (a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean =>
  a.length === b.length && a.every((tool, index) => tool === b[index])

/** A tap says by throwing that the turn cannot go on. */
function unwrapped<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
