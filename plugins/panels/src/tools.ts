import {
  err,
  ok,
  type AgentBundle,
  type Caller,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { templatesOf, type Template } from './template.ts'
import type { PanelService } from './tokens.ts'

/** All members of a panel may have to answer first. */
const ASK_MS = 900_000
const PREFIX = 'panel_'

/** Members of a panel have none of these: panels would call themselves. */
export const isPanelTool = (name: string): boolean => NAMES.has(name)

const NAMES: ReadonlySet<string> = new Set(
  ['members', 'add', 'ask', 'remove'].map((name) => PREFIX + name),
)

const panel = z.string().min(1).max(64)
const listing = z.strictObject({ panel })
const addition = z.strictObject({
  panel,
  title: z.string().max(200).exactOptional(),
  state: z.record(z.string(), jsonValue).exactOptional(),
})
const question = z.strictObject({
  panel,
  message: z.string().min(1).max(100_000),
  members: z.array(z.string()).min(1).max(200).exactOptional(),
  order: z.enum(['together', 'in_turn']).exactOptional(),
})
const removal = z.strictObject({ panel, member: z.string().min(1).max(100) })

/** The tools with which the model uses the panels of its agent; none where it has none. */
export function panelTools(bundle: AgentBundle, service: PanelService): readonly ToolDefinition[] {
  const templates = templatesOf(bundle)
  if (templates.length === 0) return []
  const about = `Panels: ${templates.map(aboutOf).join('; ')}.`
  return [
    tool('members', listing, {
      description: `Lists the members of a panel: agents with a conversation and a state of their own. ${about}`,
      readOnly: true,
      run: async (args, caller, ctx) =>
        mapped(await service.members(caller, args.panel, ctx.signal), (members) => ({
          members: members.map(listed),
        })),
    }),
    tool('add', addition, {
      description: `Adds a member to a panel. \`state\` gives it values of its own. ${about}`,
      readOnly: false,
      run: async ({ panel: name, ...member }, caller, ctx) =>
        mapped(await service.add(caller, name, { ...member, key: ctx.key }, ctx.signal), listed),
    }),
    tool('ask', question, {
      description: `Asks members of a panel one question, and returns their answers: all of them, or those whose ids are in \`members\`; together, or in turn. They know nothing of this conversation: put all that they need into the message. ${about}`,
      readOnly: false,
      run: async ({ panel: name, ...panelQuestion }, caller, ctx) =>
        mapped(
          await service.ask(caller, name, { ...panelQuestion, key: ctx.key }, ctx.signal),
          (answers): JsonObject => ({ answers }),
        ),
    }),
    tool('remove', removal, {
      description: `Removes a member of a panel, with its conversation and state. ${about}`,
      readOnly: false,
      run: async (args, caller, ctx) =>
        mapped(await service.remove(caller, args.panel, args.member, ctx.signal), () => ({
          removed: args.member,
        })),
    }),
  ]
}

const aboutOf = ({ name, description, set }: Template): string => {
  const given = set.length > 0 ? ` (state: ${set.join(', ')})` : ''
  return `${name}${given}${description === '' ? '' : ` – ${description}`}`
}

/** What the model needs of a member. */
const listed = ({
  session_id: member,
  title,
  is_processing,
  history_size,
}: JsonObject): JsonObject => ({
  member: member ?? null,
  title: title ?? null,
  is_processing: is_processing ?? false,
  history_size: history_size ?? 0,
})

interface PanelTool<T> {
  readonly description: string
  readonly readOnly: boolean
  readonly run: (args: T, caller: Caller, ctx: ToolContext) => Promise<Result<Json, Failure>>
}

/**
 * Those that are not read-only are writes to guards: in a conversation with untrusted content a
 * person sees the message before a member reads it as the person's own.
 */
function tool<T>(
  name: string,
  schema: z.ZodType<T>,
  { description, readOnly, run }: PanelTool<T>,
): ToolDefinition {
  const parse = (args: JsonObject): Result<T, string> => {
    const read = schema.safeParse(args)
    return read.success ? ok(read.data) : err(z.prettifyError(read.error))
  }
  return {
    name: PREFIX + name,
    description,
    parameters: z.toJSONSchema(schema, { io: 'input' }) as JsonObject, // made of JSON
    parse: (args) => {
      const read = parse(args)
      return read.ok ? ok(args) : read
    },
    readOnly,
    keyed: true,
    timeoutMs: ASK_MS,
    execute: async (args, ctx): Promise<ToolResult> => {
      const read = parse(args)
      if (!read.ok) return { status: 'error', code: 'BAD_ARGUMENTS', message: read.error }
      const { tenant, principal, roles } = ctx
      const result = await run(read.value, { tenant, principal, roles }, ctx)
      return result.ok
        ? { status: 'success', output: result.value }
        : { status: 'error', code: result.error.code, message: result.error.message }
    },
  }
}

const mapped = <T>(result: Result<T, Failure>, show: (value: T) => Json): Result<Json, Failure> =>
  result.ok ? ok(show(result.value)) : result
