import { RuntimeSettings } from '@amodal/plugin-loop'
import { z } from 'zod'

/**
 * Settings of the loop, as `runtime` of amodal.json may name them: those that it leaves out are
 * left to others.
 */
const Runtime = z.record(z.string(), z.unknown()).superRefine((settings, context) => {
  for (const { path, message } of RuntimeSettings.safeParse(settings).error?.issues ?? [])
    context.addIssue({ code: 'custom', path, message })
})

const UsedPlugin = z.strictObject({
  use: z.string().min(1),
  config: z.unknown().optional(),
  /** Another name, so that the same plugin can be there twice. */
  as: z.string().optional(),
  /** The plugin whose place it takes. */
  replaces: z.string().optional(),
  optional: z.boolean().optional(),
  /** May tap at `seal`. */
  trusted: z.boolean().optional(),
  /** Runs although it is made for another kernel or other versions of slots, with a warning. */
  ignoreCompat: z.boolean().optional(),
})
const LeftOutPlugin = z.strictObject({ without: z.string().min(1), unsafe: z.boolean().optional() })

/**
 * One item of `plugins`. Branched by hand, so that what is wrong is told of the form that was
 * meant.
 */
const PluginItem = z
  .unknown()
  .transform((item, context): z.output<typeof UsedPlugin> | z.output<typeof LeftOutPlugin> => {
    const object: unknown = Array.isArray(item) ? pairOf(item) : item
    const meant = typeof item === 'string' ? { use: item } : object
    const isLeftOut = typeof meant === 'object' && meant !== null && 'without' in meant
    const read = isLeftOut ? LeftOutPlugin.safeParse(meant) : UsedPlugin.safeParse(meant)
    if (read.success) return read.data
    for (const { path, message } of read.error.issues)
      context.addIssue({
        code: 'custom',
        path,
        message: path.length === 0 ? `${message}; ${FORMS}` : message,
      })
    return z.NEVER
  })
const FORMS = 'write a name, ["name", { …config }], { "use": "name" } or { "without": "name" }'

/** A list that is no pair stays what it is, and is refused as such. */
const pairOf = (item: readonly unknown[]): unknown =>
  item.length === 1 || item.length === 2 ? { use: item[0], config: item[1] } : item

const StoresBlock = z.looseObject({
  backend: z.enum(['pglite', 'postgres']).optional(),
  dataDir: z.string().min(1).optional(),
  postgresUrl: z.string().min(1).optional(),
  connectionString: z.string().min(1).optional(),
})

/** Of the models, the one for vectors is a plugin; the others are read with the agent's files. */
const ModelsBlock = z.looseObject({
  embeddings: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .optional()
    .describe('A model for vectors, as PROVIDER/MODEL or with the settings of `embeddings`'),
})

/** The part of amodal.json that says how the agent is wired; `repo-files` reads the rest. */
export const Wiring = z.looseObject({
  preset: z.string().optional(),
  plugins: z.array(PluginItem).default([]),
  runtime: Runtime.default({}),
  stores: StoresBlock.default({}),
  models: ModelsBlock.optional(),
})
export type Wiring = z.output<typeof Wiring>
export type PluginItem = Wiring['plugins'][number]
