import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLUGINS } from '@amodal/presets'
import { isPlugin, type Plugin } from '@amodal/sdk'
import { declarationsOf, type Declarations } from '@amodal/sdk/inspection'
import { z } from 'zod'
import { pluginsOf } from '../../scripts/lib/list-plugins.mjs'
import { ROOT } from './pages.ts'

/** Kinds of plugins, in the order in which `plugins/README.md` has them. */
export const GROUPS: Readonly<Record<string, string>> = {
  foundation: 'Foundation',
  files: "The agent's files",
  models: 'Models',
  loop: 'The loop and its sessions',
  tools: 'Tools, connections and stores',
  guards: 'Guards',
  automation: 'Without a person',
  faces: 'Ways in',
  quality: 'Whether it is good',
  other: 'Others',
}
/** Configs of plugins that take no empty one. */
const CONFIGS: Readonly<Record<string, unknown>> = {
  embeddings: { model: 'text-embedding-3-small' },
  'repo-files': { dir: '.' },
}

/** Configs with which a plugin registers more than it does without one. */
const WHOLE: Readonly<Record<string, unknown>> = {
  ...CONFIGS,
  knowledge: { proposals: 'tenant' },
  'telemetry-otel': { endpoint: 'http://127.0.0.1:4318', prometheus: true },
  limits: { budgets: { principal: {} } },
}

const Package = z.looseObject({
  name: z.string(),
  description: z.string(),
  amodal: z.looseObject({ group: z.enum(Object.keys(GROUPS)) }),
})

/** A plugin of this repository, with its package.json and what it registers. */
export interface OwnPlugin {
  readonly name: string
  readonly plugin: Plugin
  /** One that its schema takes. */
  readonly config: unknown
  readonly declared: Declarations
  /** Text of its package.json, and what it says. */
  readonly text: string
  readonly said: z.output<typeof Package>
}

export const OWN_PLUGINS: readonly OwnPlugin[] = await Promise.all(
  pluginsOf(ROOT).map(async ({ name }) => {
    const plugin = (await PLUGINS[name]?.())?.default
    if (!isPlugin(plugin)) throw new Error(`${name} is no plugin`)
    const text = readFileSync(join(ROOT, manifestPath(name)), 'utf8')
    const config = CONFIGS[name] ?? {}
    const declared = declarationsOf(plugin, WHOLE[name] ?? {})
    if (!declared.ok) throw new Error(`${name}: ${declared.error}`)
    const said = Package.parse(JSON.parse(text))
    return { name, plugin, config, declared: declared.value, text, said }
  }),
)

export const PLUGIN_NAMES: ReadonlySet<string> = new Set(OWN_PLUGINS.map(({ name }) => name))

export function manifestPath(name: string): string {
  return `plugins/${name}/package.json`
}
