import type { Command } from '@amodal/sdk'
import { installed, isPackageName } from './installed.ts'
import { npm } from './npm.ts'

/** `amodal plugins remove NAME` */
export const removeCommand: Command = {
  summary: 'Take a plugin out of amodal.json and uninstall it',
  usage: 'amodal plugins remove PACKAGE [--keep] [--dir PATH]',
  about: [
    'What it kept in the database stays. A plugin of the preset is left out with { "without": "name" }.',
  ],
  examples: [['amodal plugins remove amodal-plugin-weather', 'takes it out, and its package away']],
  options: { keep: { type: 'boolean', description: 'Leave the package installed' } },
  async run(context) {
    const {
      arguments: [name, ...more],
      options,
      fail,
      print,
      dir,
    } = context
    if (name === undefined || more.length > 0) {
      fail('Name one package: amodal plugins remove PACKAGE')
      return 2
    }
    const { ManifestEdit } = await import('./manifest-edit.ts')
    const manifest = await ManifestEdit.open(dir)
    if (!manifest.ok || !manifest.value.remove(name)) {
      fail(
        manifest.ok
          ? `${manifest.value.file} does not list ${name}. It lists: ${manifest.value.named.join(', ') || 'none'}`
          : manifest.error.message,
      )
      return 1
    }
    const saved = await manifest.value.save()
    if (!saved.ok) {
      fail(saved.error.message)
      return 1
    }
    print(`${name} is not listed any more in ${manifest.value.file}`)
    if (options['keep'] === true || !isPackageName(name) || !(await installed(name, dir))) return 0
    const done = await npm(['uninstall', name, '--no-audit', '--no-fund'], context)
    if (!done.ok) fail(`its package is still installed: ${done.error.message}`)
    return done.ok ? 0 : 1
  },
}
