import { didYouMean } from '@amodal/sdk/files'
import type { Command, Inspection } from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'

/** `amodal plugins why NAME` */
export const whyCommand: Command = {
  summary: 'Explain why a plugin is there, what it does, and who needs it',
  usage: 'amodal plugins why NAME [--dir PATH] [--preset NAME]',
  about: ['Its place in the order, its config with secrets masked, its slots, hooks and entries.'],
  examples: [['amodal plugins why guard-taint', 'what that guard taps, and what stands behind it']],
  options: {},
  async run({ start, arguments: [name, ...more], print, fail }) {
    if (name === undefined || more.length > 0) {
      fail('Say which one: amodal plugins why NAME')
      return 2
    }
    const inspection = inspectionOf(await start({ only: [] }))
    const lines = reasonsFor(name, inspection)
    if (lines) {
      for (const line of lines) print(line)
      return 0
    }
    const meant = didYouMean(
      name,
      inspection.plugins.map((plugin) => plugin.name),
    )
    fail(
      `No plugin "${name}" runs here${meant === undefined ? '' : `; did you mean "${meant}"?`} \`amodal plugins list\` names them.`,
    )
    return 1
  },
}

function reasonsFor(name: string, inspection: Inspection): readonly string[] | undefined {
  const { plugins, slots, hooks, registries, edges, warnings } = inspection
  const own = plugins.find((plugin) => plugin.name === name)
  if (!own) return undefined
  const config = JSON.stringify(own.config ?? {})
  const provided = slots.filter(({ provider }) => provider === name).map(({ id }) => id)
  const wrapped = slots.filter(({ decorators }) => decorators.includes(name)).map(({ id }) => id)
  const tapped = hooks.flatMap((hook) =>
    hook.taps.some(({ plugin }) => plugin === name) ? [hook.name] : [],
  )
  const entries = registries.flatMap(({ id, entries: all }) =>
    all.flatMap(({ key, plugin }) => (plugin === name ? [`${id}: ${key}`] : [])),
  )
  const users = edges.flatMap(({ from, to, reason }) =>
    from === name ? [`${to} (${reason})`] : [],
  )
  const line = (label: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`${label.padEnd(10)} ${[...new Set(items)].join(', ')}`]
  return [
    `${name} ${own.version}, from ${own.source ?? 'the preset'}, number ${own.order + 1} of ${plugins.length}`,
    ...line('stands', [own.why]),
    ...line('config', config === '{}' ? [] : [config]),
    ...line('provides', provided),
    ...line('wraps', wrapped),
    ...line('taps', tapped),
    ...line('adds', entries),
    ...line('before', users),
    ...line(
      'warning',
      warnings.filter((warning) => warning.includes(name)),
    ),
  ]
}
