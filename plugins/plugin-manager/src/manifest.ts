import type { Command } from '@amodal/sdk'

/** `amodal plugins manifest` */
export const manifestCommand: Command = {
  summary: 'Say in the package.json of a plugin what it does',
  usage: 'amodal plugins manifest [--package PATH] [--config JSON] [--write | --check | --schema]',
  about: [
    'For whoever writes a plugin. Prints what belongs under `amodal` in its package.json: its name, the kernel that it is made for, and the slots with their versions, hooks and registries that it uses, its tables and routes, and what it lists under `reaches`, as its code has them. An agent that takes the package in refuses what the code does beyond that.',
  ],
  examples: [
    ['amodal plugins manifest --write', 'of the package in this folder, into its package.json'],
    ['amodal plugins manifest --check', 'exit code 1 where the two differ; for a build server'],
  ],
  options: {
    package: { type: 'string', description: 'Folder of the package; this one by default' },
    config: { type: 'string', description: 'A config that its schema takes; {} by default' },
    write: { type: 'boolean', description: 'Write it into the package.json' },
    check: { type: 'boolean', description: 'Compare it with the package.json' },
    schema: { type: 'boolean', description: 'Print the JSON Schema of what stands there' },
  },
  async run({ options, print, fail }) {
    if (options['schema'] === true) {
      const [{ PluginManifest }, { z }] = await Promise.all([
        import('@amodal/sdk/packages'),
        import('zod'),
      ])
      print(JSON.stringify(z.toJSONSchema(PluginManifest, { io: 'input' }), undefined, 2))
      return 0
    }
    const { manifestOf } = await import('./package-manifest.ts')
    const done = await manifestOf(options)
    if (done.ok) print(done.value)
    else fail(done.error)
    return done.ok ? 0 : 1
  },
}
