import type { Inspection } from './inspection.ts'

/** A line and the lines below it. */
interface Branch {
  readonly text: string
  readonly below?: readonly Branch[]
}

/**
 * Draws what a kernel is made of as a tree for a terminal.
 *
 * @example
 * console.log(toText(inspectionOf(kernel)))
 */
export function toText(inspection: Inspection): string {
  const { generation, runner, held, plugins, slots, registries, hooks, warnings, errors, changes } =
    inspection
  const all: readonly Branch[] = [
    { text: 'plugins', below: plugins.map((plugin) => pluginBranch(plugin, inspection)) },
    {
      text: 'slots',
      below: slots.map(({ id, scope, provider, decorators, isCreated }) => ({
        text: [
          `${id} ← ${provider}`,
          ...decorators.map((name) => `wrapped by ${name}`),
          `per ${scope}`,
          ...(isCreated === false ? ['not created yet'] : []),
        ].join(', '),
      })),
    },
    {
      text: 'registries',
      below: registries.map(({ id, entries }) => ({
        text: id,
        below: entries.map(({ key, plugin, instead }) => ({
          text: `${key} ← ${plugin}${instead === undefined ? '' : ` (instead of ${instead})`}`,
        })),
      })),
    },
    {
      text: 'hooks',
      below: hooks.filter(({ taps }) => taps.length > 0).map(hookBranch),
    },
    { text: 'warnings', below: warnings.map((text) => ({ text })) },
    {
      text: 'errors',
      below: errors.map(({ at, code, message }) => ({
        text: `${new Date(at).toISOString()} ${code} ${message}`,
      })),
    },
    {
      text: 'changes',
      below: changes.map(({ hook, plugin, changed }) => ({
        text: `${hook}: ${plugin} changed ${changed.join(', ')}`,
      })),
    },
  ]
  return draw({
    text: `generation ${generation}, ${plugins.length} plugins, ${held} runs, taps run by ${runner}`,
    below: all.filter(({ below }) => below?.length),
  })
}

const hookBranch = ({ name, kind, onError, taps }: Inspection['hooks'][number]): Branch => ({
  text: `${name} (${kind}, ${onError})`,
  below: taps.map(({ plugin, stage, calls, errors, ms, pending }) => ({
    text: [
      `${plugin} at ${stage}`,
      `${calls} calls`,
      `${ms.toFixed(1)} ms`,
      ...(errors > 0 ? [`${errors} errors`] : []),
      ...(pending > 0 ? [`${pending} pending`] : []),
    ].join(', '),
  })),
})

function pluginBranch(
  { name, plugin, version, why, state, setupMs, source, config }: Inspection['plugins'][number],
  { slots, hooks }: Inspection,
): Branch {
  const provides = slots.filter(({ provider }) => provider === name).map(({ id }) => id)
  const taps = hooks
    .filter((hook) => hook.taps.some((tap) => tap.plugin === name))
    .map((hook) => hook.name)
  const settings = JSON.stringify(config)
  return {
    text: `${name}${plugin === undefined ? '' : ` (${plugin})`} ${version}, ${state}, setup ${setupMs.toFixed(1)} ms`,
    below: [
      ...(why === 'in list order' ? [] : [{ text: why }]),
      ...(source === undefined ? [] : [{ text: `from ${source}` }]),
      ...(settings === '{}' ? [] : [{ text: `config ${settings}` }]),
      ...(provides.length === 0 ? [] : [{ text: `provides ${provides.join(', ')}` }]),
      ...(taps.length === 0 ? [] : [{ text: `taps ${taps.join(', ')}` }]),
    ],
  }
}

function draw({ text, below = [] }: Branch, indent = ''): string {
  const lines = below.map((branch, index) => {
    const last = index === below.length - 1
    return `${indent}${last ? '└─ ' : '├─ '}${draw(branch, `${indent}${last ? '   ' : '│  '}`)}`
  })
  return [text, ...lines].join('\n')
}
