import { isObject, type JsonObject } from '@amodal/sdk'
import { type Issues, type JsonFile, refuseUnknown, shaped } from '@amodal/sdk/files'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { toolName } from './fields.ts'

const SHARED = ['uses', 'triggers', 'execution'] as const
const FIELDS = ['id', 'exposure', 'llm_callable', 'base', ...SHARED]
const BASE = ['name', 'description', 'parametersJsonSchema']
const EXPOSURES = ['open', 'operator-gated', 'requires-confirmation'] as const

const text = z.string().min(1)
const exported = z.looseObject({
  id: toolName,
  exposure: z.looseObject({ kind: z.enum(EXPOSURES), prompt: text.exactOptional() }),
  llm_callable: z.boolean(),
  base: z.looseObject({
    name: text,
    description: text,
    parametersJsonSchema: z.record(z.string(), jsonValue),
  }),
})

/** What a `tool.ts` says, in the fields of a tool.json; and who may call it. */
export interface CodeTool {
  readonly definition: JsonFile<JsonObject>
  readonly callers?: 'person' | 'nobody'
  /** What a person is asked before it runs. */
  readonly prompt?: string
}

/** Where the fields of a tool.json stand in a `tool.ts`. */
const PLACES: Readonly<Record<string, string>> = {
  name: 'id',
  parameters: 'parametersJsonSchema',
  confirm: 'exposure',
}

/**
 * Reads what a `tool.ts` has exported, as its process has sent it. A field that is not known is an
 * error, since it may be a protection.
 */
export function readCodeTool(code: JsonFile<JsonObject>, issues: Issues): CodeTool | undefined {
  const before = issues.errors
  refuseUnknown(code, [], FIELDS, issues)
  refuseUnknown(code, ['base'], BASE, issues)
  const kind = isObject(code.value['exposure']) ? code.value['exposure']['kind'] : undefined
  const ofExposure = kind === 'requires-confirmation' ? ['kind', 'prompt'] : ['kind']
  refuseUnknown(code, ['exposure'], ofExposure, issues)
  const read = shaped(exported, code, [], issues)
  if (read && read.id !== read.base.name)
    issues.error('BAD_REPO', `\`id\` is "${read.id}", and \`base.name\` is "${read.base.name}"`, {
      file: code.file,
      line: code.lineOf(['base', 'name']),
      fix: 'give both the name of the tool',
    })
  if (!read || issues.errors > before) return undefined
  const { id, base, exposure, llm_callable: isForModel } = read
  const callers = callersOf(exposure.kind, isForModel)
  return {
    definition: {
      file: code.file,
      value: {
        name: id,
        description: base.description,
        parameters: base.parametersJsonSchema,
        confirm: exposure.kind === 'requires-confirmation',
        ...Object.fromEntries(
          SHARED.flatMap((field) => {
            const value = code.value[field]
            return value === undefined ? [] : [[field, value] as const]
          }),
        ),
      },
      lineOf: (path) => code.lineOf(path.map((part) => PLACES[part] ?? part)),
    },
    ...(callers && { callers }),
    ...(exposure.prompt !== undefined && { prompt: exposure.prompt }),
  }
}

function callersOf(kind: (typeof EXPOSURES)[number], isForModel: boolean): CodeTool['callers'] {
  if (!isForModel) return 'nobody'
  return kind === 'operator-gated' ? 'person' : undefined
}
