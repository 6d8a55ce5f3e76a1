import type { Command } from '@amodal/sdk'

/** `amodal plugins page` */
export const pageCommand: Command = {
  summary: 'Print the reference page of a plugin',
  usage: 'amodal plugins page [--package PATH] [--config JSON]',
  about: [
    'For whoever writes or reads a plugin. Prints Markdown made from what the plugin declares: its config with types, defaults and descriptions, the slots and registries that it uses and fills, and the hooks that it taps.',
  ],
  examples: [
    ['amodal plugins page > REFERENCE.md', 'of the package in this folder'],
    ['amodal plugins page --package node_modules/amodal-plugin-weather', 'of an installed one'],
  ],
  options: {
    package: { type: 'string', description: 'Folder of the package; this one by default' },
    config: { type: 'string', description: 'A config that its schema takes; {} by default' },
  },
  async run({ options, print, fail }) {
    const { pageOf } = await import('./package-manifest.ts')
    const page = await pageOf(options)
    if (page.ok) print(page.value.trimEnd())
    else fail(page.error)
    return page.ok ? 0 : 1
  },
}
