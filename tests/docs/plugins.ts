import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRESETS } from '@amodal/presets'
import { manifestFor, pluginPage } from '@amodal/sdk/inspection'
import { pluginsOf, TABLE, tableOf } from '../../scripts/lib/list-plugins.mjs'
import { GROUPS, manifestPath, OWN_PLUGINS, type OwnPlugin } from './own-plugins.ts'
import { ROOT } from './pages.ts'

const presets = await Promise.all(
  Object.values(PRESETS).map(async (load) => (await load()).default),
)
/**
 * What is made from the declarations of our own plugins, by path: what their package.json say, the
 * table of builtin plugins, a page for each, and the list of them.
 */
export function freshPluginFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...OWN_PLUGINS.map((one) => [manifestPath(one.name), withManifest(one)] as const),
    [TABLE, tableOf(pluginsOf(ROOT))] as const,
    ...OWN_PLUGINS.map((one) => [`docs/plugins/${one.name}.md`, pageOf(one)] as const),
    ['plugins/README.md', listOf(OWN_PLUGINS)] as const,
  ])
}

/** Writes them; twice, since the table is made from what the package.json say then. */
export function writePluginFiles(): void {
  for (let round = 0; round < 2; round++)
    for (const [path, text] of freshPluginFiles()) writeFileSync(join(ROOT, path), text)
}

function withManifest({ plugin, config, text }: OwnPlugin): string {
  const manifest = manifestFor(plugin, config)
  if (!manifest.ok) throw new Error(manifest.error)
  // a package.json, which was checked above
  const said = JSON.parse(text) as { readonly amodal: object }
  return `${JSON.stringify({ ...said, amodal: { ...said.amodal, ...manifest.value } }, undefined, 2)}\n`
}

function pageOf({ name, plugin, config, said }: OwnPlugin): string {
  const page = pluginPage(
    plugin,
    {
      package: said.name,
      description: said.description,
      presets: presetsWith(name),
      readme: `../../plugins/${name}/README.md`,
    },
    config,
  )
  if (!page.ok) throw new Error(page.error)
  return `<!-- Made from its declarations: node tests/docs/generate.ts -->\n\n${page.value}`
}

const presetsWith = (plugin: string): readonly string[] =>
  presets.flatMap(({ name, entries }) =>
    entries.some((entry) => entry.kind !== 'without' && entry.plugin.name === plugin) ? [name] : [],
  )

function listOf(plugins: readonly OwnPlugin[]): string {
  const groups = Object.entries(GROUPS).flatMap(([group, title]) => {
    const rows = plugins
      .filter(({ said }) => said.amodal.group === group)
      .map(
        ({ name, said }) =>
          `| [\`${name}\`](${name}/README.md) | ${said.description} | ${presetsWith(name).join(', ') || 'by name'} | [reference](../docs/plugins/${name}.md) |`,
      )
    return rows.length === 0
      ? []
      : [
          `## ${title}\n\n| Plugin | What it is | Presets | |\n|---|---|---|---|\n${rows.join('\n')}`,
        ]
  })
  return `<!-- Made from the package.json of each plugin: node tests/docs/generate.ts -->\n\n# Plugins\n\nEverything but the loop's core is a plugin. Each has a page that says how it is used, and a reference that is made from what it\ndeclares. [How to write one](../docs/write-a-plugin.md).\n\n${groups.join('\n\n')}\n`
}
